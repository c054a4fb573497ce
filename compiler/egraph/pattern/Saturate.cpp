#include "compiler/egraph/pattern/Saturate.h"
#include "runtime/support/Stopwatch.h"
#include <algorithm>
#include <numeric>

namespace zyxc::egraph {

namespace {

/// Rules that are searched together.
struct Group {
  Machine machine;
  std::vector<uint32_t> rules;
  uint32_t since = 0;     ///< rows of this time and later are new to it
  uint32_t bannedFor = 0; ///< iterations
  uint32_t bans = 0;
  bool isBehind = false; ///< it has matches that are not applied
};

class Saturation {
public:
  Saturation(EGraph &graph, std::span<const Rule> rules, const SaturateOptions &options)
      : graph(graph), rules(rules), options(options) {}

  Status prepare();
  SaturateReport run();

private:
  /// False when the run is over.
  bool iterate();
  uint32_t nextTime() const;
  bool searchAll();
  bool searchGroup(Group &group);
  uint64_t backoffLimit(const Group &group) const;
  void holdBack(Group &group);
  bool endWaiting();
  bool applyAll();
  bool rebuild();
  size_t matchBytes() const;

  EGraph &graph;
  std::span<const Rule> rules;
  const SaturateOptions &options;
  std::vector<Group> groups;
  std::vector<Applier> appliers;
  std::vector<MatchTable> tables;
  uint32_t until = 0; ///< rows of this time and later are left for later iterations
  SaturateReport report;
};

Status Saturation::prepare() {
  std::vector<std::vector<uint32_t>> sets;
  for (uint32_t i = 0; i < rules.size(); ++i) {
    if (sets.empty() || options.timeRules || options.backoffMatches > 0) {
      sets.emplace_back();
    }
    sets.back().push_back(i);
    std::vector<uint32_t> columns = Machine::columns(rules[i], graph.keepsMatches());
    appliers.emplace_back(rules[i], i, columns);
    tables.emplace_back().width = static_cast<uint32_t>(columns.size());
    report.rules.emplace_back().name = rules[i].name;
  }
  for (std::vector<uint32_t> &set : sets) {
    ZYXC_ASSIGN(Machine machine, Machine::compile(rules, set, graph.keepsMatches()));
    groups.push_back({std::move(machine), std::move(set)});
  }
  return Status::ok();
}

SaturateReport Saturation::run() {
  if (rebuild()) {
    while (iterate()) {
    }
  }
  return std::move(report);
}

bool Saturation::iterate() {
  if (report.iterations.size() >= options.budget.maxIterations) {
    report.stop = StopReason::IterationLimit;
    return false;
  }
  uint32_t nodes = graph.numNodes();
  uint32_t unions = graph.unionCount();
  graph.tick();
  until = nextTime();
  report.iterations.emplace_back();
  bool withinBudget = searchAll();
  withinBudget = applyAll() && withinBudget;
  bool isSound = rebuild();
  report.iterations.back().nodes = graph.numLiveNodes();
  report.iterations.back().classes = graph.numClasses();
  if (!isSound || !withinBudget) {
    return false;
  }
  return graph.numNodes() != nodes || graph.unionCount() != unions || until < graph.time() ||
         endWaiting();
}

/// The time up to which the next iteration takes rows.
uint32_t Saturation::nextTime() const {
  if (options.newRows == 0) {
    return graph.time();
  }
  uint32_t since = ~0u;
  for (const Group &group : groups) {
    since = std::min(since, group.since);
  }
  double rows = options.leastNewRows + options.newRows * graph.numLiveNodes();
  uint32_t times = static_cast<uint32_t>(rows / graph.rowsPerTime()) + 1;
  return std::min(graph.time(), since + times);
}

/// Nothing is new: rules that are held back have waited enough, the first of them first. False if
/// there are none.
bool Saturation::endWaiting() {
  uint32_t shortest = ~0u;
  for (const Group &group : groups) {
    shortest = group.isBehind ? std::min(shortest, group.bannedFor) : shortest;
  }
  for (Group &group : groups) {
    group.bannedFor -= group.isBehind ? shortest : 0;
  }
  return shortest != ~0u;
}

bool Saturation::searchAll() {
  Stopwatch watch(report.iterations.back().search);
  for (MatchTable &table : tables) {
    table.values.clear();
  }
  if (options.threads > 1) {
    graph.shortenPaths();
  }
  bool withinBudget = true;
  for (Group &group : groups) {
    withinBudget = withinBudget && searchGroup(group);
  }
  return withinBudget;
}

bool Saturation::searchGroup(Group &group) {
  if (group.bannedFor > 0) {
    --group.bannedFor;
    return true;
  }
  uint64_t waiting = 0;
  for (const MatchTable &table : tables) {
    waiting += table.size();
  }
  uint64_t limit = options.budget.maxMatches - report.matches - waiting;
  uint64_t most = std::min(limit, backoffLimit(group));
  double time = 0;
  bool isWhole = true;
  {
    Stopwatch watch(time);
    isWhole = group.machine.search(graph, {group.since, until}, most, tables, options.threads);
  }
  if (group.rules.size() == 1) {
    report.rules[group.rules[0]].search += time;
  }
  if (!isWhole && most < limit) {
    holdBack(group);
    return true;
  }
  if (!isWhole) {
    report.stop = StopReason::MatchLimit;
    return false;
  }
  group.since = until;
  group.isBehind = false;
  return true;
}

uint64_t Saturation::backoffLimit(const Group &group) const {
  return options.backoffMatches == 0 ? ~0ull : options.backoffMatches << std::min(group.bans, 32u);
}

/// Drops the matches of a rule that has too many. Its time stays, so that they are found again.
void Saturation::holdBack(Group &group) {
  uint32_t rule = group.rules[0];
  tables[rule].values.clear();
  group.bannedFor = options.backoffIterations << std::min(group.bans, 16u);
  ++group.bans;
  group.isBehind = true;
  ++report.rules[rule].heldBack;
}

bool Saturation::applyAll() {
  Stopwatch watch(report.iterations.back().apply);
  size_t bytes = matchBytes();
  for (uint32_t i = 0; i < rules.size(); ++i) {
    RuleReport &count = report.rules[i];
    uint64_t before = count.matches;
    StopReason stop = StopReason::Saturated;
    {
      Stopwatch ruleWatch(count.apply);
      stop = appliers[i].apply(graph, tables[i], options.budget, report.matches, bytes, count);
    }
    // What is small beside the graph makes room for it; what is soon needed again stays.
    if (options.newRows == 0 && tables[i].values.bytes() < graph.memoryBytes() / 8) {
      tables[i].values.release();
    }
    tables[i].values.clear();
    report.matches += count.matches - before;
    report.iterations.back().matches += count.matches - before;
    if (stop != StopReason::Saturated) {
      report.stop = stop;
      return false;
    }
  }
  return true;
}

size_t Saturation::matchBytes() const {
  return std::accumulate(
      tables.begin(), tables.end(), size_t{0},
      [](size_t sum, const MatchTable &table) { return sum + table.values.bytes(); });
}

bool Saturation::rebuild() {
  double unused = 0;
  Stopwatch watch(report.iterations.empty() ? unused : report.iterations.back().rebuild);
  report.conflict = graph.rebuild();
  if (report.conflict.isOk() && options.verify) {
    report.conflict = graph.verify();
  }
  if (report.conflict.isOk() && options.check) {
    report.conflict = options.check(graph);
  }
  if (!report.conflict.isOk()) {
    report.stop = StopReason::Conflict;
  }
  return report.conflict.isOk();
}

} // namespace

Expected<SaturateReport> saturate(EGraph &graph, std::span<const Rule> rules,
                                  const SaturateOptions &options) {
  assert(graph.tracksAges() && "make the graph with trackAges");
  Saturation saturation(graph, rules, options);
  ZYXC_RETURN_IF_ERROR(saturation.prepare());
  return saturation.run();
}

} // namespace zyxc::egraph
