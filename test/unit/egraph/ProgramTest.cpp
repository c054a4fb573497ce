// The text language of programs and rules: what it reads, and its errors with their places.
#include "compiler/egraph/pattern/Program.h"
#include <catch2/catch.hpp>

using namespace zyxc;
using namespace zyxc::egraph;

TEST_CASE("numbers are exact", "[program]") {
  CHECK(parseNumber("12") == Number{12, 1});
  CHECK(parseNumber("-6/4") == Number{-3, 2});
  CHECK(parseNumber("+0.250") == Number{1, 4});
  CHECK(parseNumber("-.5") == Number{-1, 2});
  CHECK(parseNumber("0/7") == Number{0, 1});
  CHECK(parseNumber("9223372036854775807") == Number{INT64_MAX, 1});
  for (const char *text : {"9223372036854775808", "1/0", "1.2.3", "1e5", "1/", "-", ".", "1/-2",
                           "3.0000000000000000000000", ""}) {
    INFO(text);
    CHECK_FALSE(parseNumber(text));
  }
  CHECK(Number{-3, 2}.toText() == "-3/2");
}

TEST_CASE("a program has rules, start terms and numbers that are one", "[program]") {
  Program program;
  Status status = program.add(R"(
    # a comment
    swap: (+ a b) = (+ b a)   ; the same in both directions: one rule
    (* a (+ b c)) = (+ (* a b) (* a c))
    (* a b) as p, (* a c) as q => p = (/ q 'pi), q = p
    (+ x (* 1/2 y))
    (- (+ x 'x) 0.5)
    five
  )");
  INFO(status.message());
  REQUIRE(status.isOk());
  REQUIRE(program.rules.size() == 4);
  CHECK(program.rules[0].name == "swap");
  CHECK(program.rules[1].name == "(* a (+ b c)) => (+ (* a b) (* a c))");
  CHECK(program.rules[2].name == "(+ (* a b) (* a c)) => (* a (+ b c))");
  CHECK(program.rules[3].premises.size() == 2);
  CHECK(program.rules[3].conclusions.size() == 2);
  CHECK(program.rules[3].numVariables == 5);
  CHECK(program.starts.size() == 3);
  EGraph graph;
  program.addStarts(graph);
  CHECK(graph.numNodes() == 8); // x, 1/2, y, *, +, (+ x x), -, five
}

TEST_CASE("an op is a name with its number of operands", "[program]") {
  Program program;
  REQUIRE(program.add("(- x) (- x y) (f x)").isOk());
  CHECK(program.language.opName(program.language.op("-", 1)) == "-/1");
  CHECK(program.language.opName(program.language.op("-", 2)) == "-/2");
  CHECK(program.language.opName(program.language.op("f", 1)) == "f");
}

TEST_CASE("errors of programs name their place", "[program]") {
  struct {
    const char *text, *message;
  } cases[] = {
      {"(f x", "line 1, column 1: `(` without a `)` behind it"},
      {"(f x))\n", "line 1, column 6: `)` without a `(` before it"},
      {"\n  (f () x)", "line 2, column 6: an empty list is no term: write (OP OPERANDS..)"},
      {"(f a) => (g b)", "line 1, column 13: variable `b` is not bound by a premise (an atom is "
                         "quoted: 'b)"},
      {"(f a) = (g a b)", "line 1, column 14: variable `b` is not bound"},
      {"(f a b) = (g a)", "line 1, column 6: variable `b` is not bound"},
      {"a => (f a)", "line 1, column 1: a premise is a term"},
      {"(f a) = a", "line 1, column 9: both sides of `=` are terms"},
      {"(f a) =>", "line 1, column 7: no term behind `=>`"},
      {"(f a) => => (g a)", "line 1, column 7: no term behind `=>`"},
      {"(f a), => (g a)", "line 1, column 6: no term behind `,`"},
      {"(f a), (g b)", "line 1, column 8: no `=>` or `=` behind the premises of a rule"},
      {"(f a), (g b) => (g a)", "line 1, column 17: which class is it equal to?"},
      {"(f a) as p = (g a)", "line 1, column 12: `=` joins two terms"},
      {"(f a) as (g a) => a", "line 1, column 10: the name of a class is expected here"},
      {"(f a) => c = (g a)", "line 1, column 10: variable `c` is not bound"},
      {"(f a) => (g a) = a", "line 1, column 10: the left side of a conclusion is the name"},
      {"=> (f a)", "line 1, column 1: `=>` without a term before it"},
      {"name: => (f a)", "line 1, column 5: no term behind `:`"},
      {"(3 a)", "line 1, column 2: a list begins with the name of an op"},
      {"((f) a)", "line 1, column 2: a list begins with the name of an op"},
      {"(f 1/0)", "line 1, column 4: `1/0` is no number"},
      {"(f a, b)", "line 1, column 5: `,` inside of a term"},
      {"(f ')", "line 1, column 4: no name behind the quote"},
      {"(f x)\n(f \xc3\xa9 \xff)", "line 2, column 6: byte 0xff is no text: write UTF-8"},
      {"(f x\x1b)", "line 1, column 5: byte 0x1b is no text"},
  };
  for (const auto &wrong : cases) {
    Program program;
    Status status = program.add(wrong.text);
    INFO(wrong.text);
    CHECK(status.code() == ErrorCode::Input);
    CHECK_THAT(status.message(), Catch::StartsWith(wrong.message));
  }
  Program rules;
  CHECK_THAT(rules.add("(f a) => a\n(f x)", true).message(),
             Catch::StartsWith("line 2, column 1: a term, but only rules are expected here"));
  std::string deep(300, '(');
  CHECK_THAT(rules.add(deep).message(), Catch::Contains("nested more than 200 deep"));
}

TEST_CASE("a byte order mark in front of a program is no term", "[program]") {
  Program program;
  REQUIRE(program.add("\xef\xbb\xbf(f x)\r\n").isOk());
  CHECK(program.starts.size() == 1);
}
