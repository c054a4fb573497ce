// The acceptance cases of extraction, as text: candidates, what is asked for, and the least cost.
#include "compiler/extract/Extract.h"
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <map>
#include <sstream>

using namespace zyxc;
using namespace zyxc::extract;

namespace {

/// One word is one candidate, `OUTPUTS<-INPUTS:COST`, names separated by commas. `l` is given.
struct Case {
  const char *name;
  std::string candidates;
  std::string required;
  int64_t cost; ///< of the cheapest choice; -1: there is none
  uint64_t searchNodes = 50;
};

class Reader {
public:
  Problem read(const Case &test) {
    problem.given = namesOf("l");
    std::istringstream words(test.candidates);
    for (std::string word; words >> word;) {
      size_t arrow = word.find("<-");
      size_t colon = word.find(':');
      REQUIRE((arrow != std::string::npos && colon != std::string::npos));
      problem.candidates.push_back({namesOf(word.substr(arrow + 2, colon - arrow - 2)),
                                    namesOf(word.substr(0, arrow)),
                                    std::stoll(word.substr(colon + 1))});
    }
    problem.required = namesOf(test.required);
    problem.numClasses = static_cast<uint32_t>(numbers.size());
    return problem;
  }

private:
  std::vector<uint32_t> namesOf(const std::string &list) {
    std::vector<uint32_t> classes;
    std::istringstream names(list);
    for (std::string name; std::getline(names, name, ',');) {
      classes.push_back(numbers.try_emplace(name, numbers.size()).first->second);
    }
    return classes;
  }

  Problem problem;
  std::map<std::string, uint32_t> numbers;
};

/// A chain from `l` to `c<steps>`, each step at each of the costs.
std::string chain(int steps, std::initializer_list<int> costs) {
  std::string text;
  for (int step = 1; step <= steps; ++step) {
    for (int cost : costs) {
      text +=
          fmt::format("c{}<-{}:{} ", step, step == 1 ? "l" : fmt::format("c{}", step - 1), cost);
    }
  }
  return text;
}

std::string independent(int outputs) {
  std::string text;
  for (int i = 0; i < outputs; ++i) {
    text += fmt::format("o{0}<-l:5 o{0}<-l:6 o{0}<-l:7 ", i);
  }
  return text;
}

std::string names(int outputs) {
  std::string text;
  for (int i = 0; i < outputs; ++i) {
    text += fmt::format("{}o{}", i ? "," : "", i);
  }
  return text;
}

std::vector<Case> cases() {
  return {
      {"KZ-T-X1", "o<-a:5 o<-l:20 a<-l:100", "o", 20},
      {"KZ-T-X2", "s<-l:10 p<-s:1 q<-s:1 p<-l:8 q<-l:8", "p,q", 12},
      {"KZ-T-X3", "s<-l:20 p<-s:1 q<-s:1 p<-l:8 q<-l:8", "p,q", 16},
      {"KZ-T-X4", "q,p<-l:10 q<-l:3", "q,p", 10},
      {"KZ-T-X5", "q,p<-l:10 q<-l:3 r<-p:7", "q,r", 17},
      {"KZ-T-X6", "q,p<-l:10", "p", 10},
      {"KZ-T-X7", "o<-z:1 o<-l:50", "o", 50},
      {"KZ-T-X7, without another", "o<-z:1", "o", -1},
      {"KZ-T-X8", "a<-b:1 b<-a:1 a<-l:100 b<-l:100", "a,b", 101},
      {"KZ-T-X9", "a<-b:1 b<-a:1 a<-l:100 b<-l:100", "a", 100},
      {"KZ-T-X10", "p<-l:6 q<-l:6 p,q<-l:9", "p,q", 9},
      {"KZ-T-X11", "p<-l:3 q<-l:3 p,q<-l:9", "p,q", 6},
      {"KZ-T-X12", "o<-x,y:1 o<-l:30 x<-l:20 y<-l:20", "o", 30},
      {"KZ-T-X13", "s<-l:4 t<-l:4 p<-s:5 p<-t:6 q<-t:5", "p,q", 15},
      {"KZ-T-X14", "a<-l:4 b<-l:4 c<-l:4 a,b,c<-l:7", "a,b,c", 7},
      {"KZ-T-X15", chain(3, {10, 10}), "c3", 30, 3},
      {"KZ-T-X16", chain(25, {10, 10}), "c25", 250},
      {"KZ-T-X17", chain(40, {10, 11}), "c40", 400},
      {"KZ-T-X18", independent(30), names(30), 150},
  };
}

} // namespace

// Random tables against brute force (KZ-T-X20) are in ExtractTest.cpp.
TEST_CASE("acceptance cases of extraction are proved in few search nodes", "[extract]") {
  for (const Case &test : cases()) {
    INFO(test.name);
    Problem problem = Reader().read(test);
    Expected<Solution> solution = solve(problem);
    if (test.cost < 0) {
      REQUIRE_FALSE(solution);
      CHECK(solution.error().code() == ErrorCode::Unsupported);
      continue;
    }
    REQUIRE(solution);
    Status status = check(problem, *solution);
    INFO(status.message());
    CHECK(status.isOk());
    CHECK(solution->cost == test.cost);
    CHECK(solution->gap() == 0);
    CHECK(solution->proved);
    CHECK(solution->searchNodes <= test.searchNodes);
  }
}

// A candidate that gives nothing for what it is listed under cannot be written down; what is none
// otherwise is an error before anything is searched.
TEST_CASE("KZ-T-X19: what is no problem is refused", "[extract]") {
  const Problem good{3, {0}, {2}, {{{0}, {1}, 1}, {{1}, {2}, 1}}, {}};
  auto refused = [&](auto change) {
    Problem problem = good;
    change(problem);
    Expected<Solution> solution = solve(problem);
    return !solution && solution.error().code() == ErrorCode::Input;
  };
  CHECK_FALSE(refused([](Problem &) {}));
  CHECK(refused([](Problem &problem) { problem.candidates[1].outputs = {3}; }));
  CHECK(refused([](Problem &problem) { problem.candidates[0].inputs = {7}; }));
  CHECK(refused([](Problem &problem) { problem.candidates[1].inputs = {1, 2}; }));
  CHECK(refused([](Problem &problem) { problem.candidates[0].cost = -1; }));
  CHECK(refused([](Problem &problem) { problem.given = {3}; }));
  CHECK(refused([](Problem &problem) { problem.required = {2, 9}; }));
  CHECK(refused([](Problem &problem) { problem.conflicts = {{0, 2}}; }));
  CHECK(refused([](Problem &problem) {
    // One that makes something else only does not count for what is required.
    problem.candidates[1].outputs = {};
    problem.candidates.push_back({{2}, {2}, 0});
  }));
}
