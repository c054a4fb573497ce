#include "compiler/plan/ContinueLayers.h"
#include "compiler/plan/LayerValues.h"
#include <algorithm>
#include <set>

namespace zyxc::plan {

using kernelize::ClassId;

namespace {

/// Two runs of `length` steps, the second at `start`.
struct Runs {
  size_t start = 0;
  size_t length = 0;
  std::map<ClassId, ClassId> made;    ///< places that the first makes -> those of the second
  std::map<ClassId, ClassId> carried; ///< places that the first reads -> made by it, and read
};

class Continuer {
public:
  Continuer(const graph::TensorGraph &graph, Buffers &buffers, std::vector<Step> &prepare,
            std::vector<Step> &steps)
      : graph(graph), values(graph), buffers(buffers), prepare(prepare), steps(steps) {}

  Expected<bool> run() {
    std::optional<Runs> found = find();
    if (!found) {
      return false;
    }
    runs = *std::move(found);
    std::vector<Step> continued;
    size_t last = graph.layers.leftOut();
    for (size_t i = 0; i < runs.start; ++i) {
      ZYXC_RETURN_IF_ERROR(add(continued, steps[i], 0, Part::Before));
    }
    for (size_t shift = 0; shift <= last; ++shift) {
      for (size_t i = runs.start; i < runs.start + runs.length; ++i) {
        Step step = steps[i]; // the last one may bear the names of what follows the layers
        step.origins = values.namesOf(steps[i - runs.length].origins, shift + 1);
        ZYXC_RETURN_IF_ERROR(add(continued, std::move(step), shift, Part::Inside));
      }
    }
    for (size_t i = runs.start + runs.length; i < steps.size(); ++i) {
      ZYXC_RETURN_IF_ERROR(add(continued, steps[i], last, Part::Behind));
    }
    steps = std::move(continued);
    dropUnread();
    return true;
  }

private:
  enum class Part : uint8_t { Before, Inside, Behind };

  //===- Runs that are alike ------------------------------------------------------------------===//

  std::optional<Runs> find() {
    for (size_t length = 1; 2 * length <= steps.size(); ++length) {
      for (size_t start = steps.size() - length; start >= length; --start) {
        Runs candidate;
        candidate.start = start;
        candidate.length = length;
        if (areAlike(candidate) && isClosed(candidate) && areWhole(candidate) &&
            carriesAll(candidate)) {
          return candidate;
        }
      }
    }
    return std::nullopt;
  }

  bool areAlike(Runs &candidate) {
    for (size_t i = 0; i < candidate.length; ++i) {
      const Step &a = steps[candidate.start - candidate.length + i];
      const Step &b = steps[candidate.start + i];
      if (a.kernel != b.kernel || a.inputs.size() != b.inputs.size() ||
          a.outputs.size() != b.outputs.size()) {
        return false;
      }
    }
    bool isNext = false; // some value is that of the next layer
    for (size_t i = 0; i < candidate.length; ++i) {
      const Step &a = steps[candidate.start - candidate.length + i];
      const Step &b = steps[candidate.start + i];
      for (size_t port = 0; port < a.outputs.size(); ++port) {
        Place x = buffers.placeOf(a.outputs[port]);
        Place y = buffers.placeOf(b.outputs[port]);
        auto [entry, isNew] = candidate.made.try_emplace(x.root, y.root);
        if (x.offset != y.offset || x.root == y.root || entry->second != y.root) {
          return false;
        }
      }
    }
    std::set<ClassId> second;
    for (auto [x, y] : candidate.made) {
      if (!second.insert(y).second || candidate.made.contains(y)) {
        return false;
      }
    }
    for (size_t i = 0; i < candidate.length; ++i) {
      const Step &a = steps[candidate.start - candidate.length + i];
      const Step &b = steps[candidate.start + i];
      for (size_t port = 0; port < a.inputs.size(); ++port) {
        if (!inputsAgree(candidate, second, a.inputs[port], b.inputs[port], isNext)) {
          return false;
        }
      }
    }
    return isNext;
  }

  bool inputsAgree(Runs &candidate, const std::set<ClassId> &second, ClassId a, ClassId b,
                   bool &isNext) {
    Place x = buffers.placeOf(a);
    Place y = buffers.placeOf(b);
    if (x.offset != y.offset) {
      return false;
    }
    if (isKnown(x.root) || isKnown(y.root)) {
      isNext = isNext || x.root != y.root;
      return isKnown(x.root) && isKnown(y.root) && values.follows(x.root, y.root);
    }
    if (auto made = candidate.made.find(x.root); made != candidate.made.end()) {
      return made->second == y.root;
    }
    if (x.root == y.root) {
      return !second.contains(y.root);
    }
    auto [entry, isNew] = candidate.carried.try_emplace(x.root, y.root);
    isNext = true;
    return entry->second == y.root && candidate.made.contains(y.root) &&
           values.isNextResult(x.root, y.root);
  }

  /// What follows reads no result of a layer but those that the second run made, or it itself.
  bool isClosed(const Runs &candidate) {
    std::set<ClassId> made;
    for (auto [first, second] : candidate.made) {
      made.insert(second);
    }
    bool isClosed = true;
    for (size_t i = candidate.start + candidate.length; i < steps.size(); ++i) {
      for (ClassId cls : steps[i].inputs) {
        ClassId root = buffers.placeOf(cls).root;
        bool isOfLayer = !values.resultsOf(root).empty() || !values.resultsOf(cls).empty();
        isClosed =
            isClosed && !candidate.made.contains(root) && (made.contains(root) || !isOfLayer);
      }
      for (ClassId cls : steps[i].outputs) {
        made.insert(buffers.placeOf(cls).root);
      }
    }
    auto isOfRuns = [&](ClassId cls) {
      return std::any_of(candidate.made.begin(), candidate.made.end(), [&](const auto &pair) {
        ClassId root = buffers.placeOf(cls).root;
        return pair.first == root || pair.second == root;
      });
    };
    std::vector<ClassId> roots = graph.roots();
    auto isOfLayers = [&](ClassId cls) {
      ClassId root = buffers.placeOf(cls).root;
      return isKnown(root) && values.depends(root);
    };
    return isClosed && std::none_of(roots.begin(), roots.end(), isOfRuns) &&
           std::none_of(roots.begin(), roots.end(), isOfLayers);
  }

  /// Each op of the layers that steps compute is computed by both runs, one layer apart; what is
  /// before them computes earlier layers of it, what follows later ones. Else a part of the layers,
  /// a stream of its own for example, would not be repeated.
  bool areWhole(const Runs &candidate) {
    struct Layers {
      std::set<size_t> before, first, second, behind;
    };
    std::map<size_t, Layers> byOp;
    for (size_t i = 0; i < steps.size(); ++i) {
      for (ClassId cls : steps[i].computes) {
        for (const LayerValues::Place &place : values.resultsOf(cls)) {
          Layers &layers = byOp[place.op];
          (i + candidate.length < candidate.start   ? layers.before
           : i < candidate.start                    ? layers.first
           : i < candidate.start + candidate.length ? layers.second
                                                    : layers.behind)
              .insert(place.layer);
        }
      }
    }
    return std::all_of(byOp.begin(), byOp.end(), [](const auto &entry) {
      const Layers &layers = entry.second;
      if (layers.first.size() != 1 || layers.second.size() != 1) {
        return false;
      }
      size_t first = *layers.first.begin();
      return *layers.second.begin() == first + 1 &&
             (layers.before.empty() || *layers.before.rbegin() < first) &&
             (layers.behind.empty() || *layers.behind.begin() > first + 1);
    });
  }

  /// For some border between layers: all that is needed across it is carried from run to run, each
  /// from the place of one layer to that of the next.
  bool carriesAll(const Runs &candidate) {
    const graph::Layers &layers = graph.layers;
    auto isCarried = [&](const graph::LiveResult &live, size_t layer) {
      if (values.isInvariant(live.op)) {
        return true;
      }
      if (layer < live.layersBefore + 1) {
        return false;
      }
      size_t behind = layer - live.layersBefore;
      Place x = buffers.placeOf(graph.find(layers.results[behind - 1][live.op]));
      Place y = buffers.placeOf(graph.find(layers.results[behind][live.op]));
      auto carried = candidate.carried.find(x.root);
      return x.offset == y.offset && carried != candidate.carried.end() &&
             carried->second == y.root;
    };
    for (const std::vector<graph::LiveResult> &border : layers.live) {
      for (size_t layer = 0; layer < layers.kept; ++layer) {
        if (std::all_of(border.begin(), border.end(),
                        [&](const graph::LiveResult &live) { return isCarried(live, layer); })) {
          return true;
        }
      }
    }
    return false;
  }

  //===- Steps of other layers ----------------------------------------------------------------===//

  Status add(std::vector<Step> &list, Step step, size_t shift, Part part) {
    for (ClassId &input : step.inputs) {
      ZYXC_ASSIGN(input, inputAt(input, shift, part));
    }
    if (part == Part::Inside) {
      for (ClassId &output : step.outputs) {
        Place place = buffers.placeOf(output);
        output = partOf(output, {madeAt(place.root, shift), place.offset});
      }
    }
    list.push_back(std::move(step));
    return Status::ok();
  }

  Expected<ClassId> inputAt(ClassId cls, size_t shift, Part part) {
    Place place = buffers.placeOf(cls);
    if (isKnown(place.root)) {
      ZYXC_ASSIGN(ClassId root, knownAt(place.root, shift));
      return partOf(cls, {root, place.offset});
    }
    if (part == Part::Before) {
      return cls;
    }
    if (isMadeBySecond(place.root)) {
      return partOf(cls, {madeAt(place.root, shift), place.offset});
    }
    // Made by the first run: from the third on, what the run before made.
    if (auto made = runs.made.find(place.root); made != runs.made.end() && shift > 0) {
      return partOf(cls, {madeAt(made->second, shift - 1), place.offset});
    }
    return cls;
  }

  bool isMadeBySecond(ClassId root) const {
    return std::any_of(runs.made.begin(), runs.made.end(),
                       [&](const auto &pair) { return pair.second == root; });
  }

  ClassId madeAt(ClassId root, size_t shift) {
    if (shift == 0) {
      return root;
    }
    auto [entry, isNew] = instances.try_emplace({root, shift}, 0);
    if (isNew) {
      entry->second = buffers.addValue(buffers.typeOf(root));
    }
    return entry->second;
  }

  ClassId partOf(ClassId cls, const Place &place) {
    if (place.root == buffers.placeOf(cls).root) {
      return cls;
    }
    bool isWhole = place.offset == 0 && buffers.typeOf(place.root) == buffers.typeOf(cls);
    return isWhole ? place.root : buffers.addPart(buffers.typeOf(cls), place);
  }

  //===- Parameters and what follows from them ------------------------------------------------===//

  /// Known at load.
  bool isKnown(ClassId root) const {
    return graph.isConstant(root) || graph.isLayerConstant(root) || buffers.isPrepared(root);
  }

  Expected<ClassId> knownAt(ClassId root, size_t shift) {
    if (!values.depends(root)) {
      return root;
    }
    auto [entry, isNew] = instances.try_emplace({root, shift}, root);
    if (!isNew) {
      return entry->second;
    }
    if (shift != 0) {
      entry->second = buffers.addValue(buffers.typeOf(root));
    }
    ClassId instance = entry->second;
    if (!buffers.isPrepared(root)) {
      ZYXC_ASSIGN(Tensor value, values.valueOf(root, shift));
      buffers.setConstant(instance, std::move(value));
      return instance;
    }
    ZYXC_RETURN_IF_ERROR(prepareAt(root, instance, shift));
    return instance;
  }

  /// The step that makes the class at load, for this layer or for another one.
  Status prepareAt(ClassId root, ClassId instance, size_t shift) {
    auto makes = [&](const Step &step) {
      return step.outputs.size() == 1 && step.outputs[0] == root;
    };
    auto made = std::find_if(prepare.begin(), prepare.end(), makes);
    if (made == prepare.end()) {
      return makeError(ErrorCode::Internal, "no step makes class {} at load", root);
    }
    Step step = *made;
    step.outputs = {instance};
    step.origins = values.namesOf(step.origins, shift);
    for (ClassId &input : step.inputs) {
      Place place = buffers.placeOf(input);
      ZYXC_ASSIGN(ClassId known, knownAt(place.root, shift));
      input = partOf(input, {known, place.offset});
    }
    if (shift != 0) { // else it is there
      prepare.push_back(std::move(step));
      buffers.setPrepared(instance, true);
    }
    return Status::ok();
  }

  /// Steps at load whose results nothing reads any more.
  void dropUnread() {
    std::set<ClassId> read;
    auto note = [&](const Step &step) {
      for (ClassId input : step.inputs) {
        read.insert(buffers.placeOf(input).root);
      }
    };
    std::for_each(steps.begin(), steps.end(), note);
    std::vector<Step> kept;
    for (size_t i = prepare.size(); i-- > 0;) {
      auto isRead = [&](ClassId cls) {
        ClassId root = buffers.placeOf(cls).root;
        return read.contains(root) && !buffers.isConstant(root);
      };
      if (std::any_of(prepare[i].outputs.begin(), prepare[i].outputs.end(), isRead)) {
        note(prepare[i]);
        kept.push_back(std::move(prepare[i]));
        continue;
      }
      for (ClassId output : prepare[i].outputs) {
        buffers.setPrepared(output, false);
      }
    }
    std::reverse(kept.begin(), kept.end());
    prepare = std::move(kept);
  }

  const graph::TensorGraph &graph;
  LayerValues values;
  Buffers &buffers;
  std::vector<Step> &prepare;
  std::vector<Step> &steps;
  Runs runs;
  std::map<std::pair<ClassId, size_t>, ClassId> instances; ///< by class and layers on
};

} // namespace

Expected<bool> continueLayers(const graph::TensorGraph &graph, Buffers &buffers,
                              std::vector<Step> &prepare, std::vector<Step> &steps) {
  return Continuer(graph, buffers, prepare, steps).run();
}

} // namespace zyxc::plan
