// Runs a random program through the whole compiler and compares it with the interpreter.
#pragma once
#include "test/fuzz/graphs/program/Graph.h"
#include <string>

namespace zyxc::fuzz {

/// The program as a module in text form, with the leaves as arguments.
std::string moduleText(const Graph &graph);

/// A fault that is made on purpose: programs are compiled with another op in place of one.
struct Fault {
  OpKind from;
  OpKind to; ///< takes the same operands and attributes and gives the same type
};

/// How programs are checked, beside what is always done.
struct CheckOptions {
  std::optional<Fault> fault;
  /// A BLAS library (rt::ExecutorOptions::blas), which then computes each product that it can;
  /// empty: none.
  std::string blas;
  /// The number of the only way to compile it, modulo their number; none: all of them.
  std::optional<uint64_t> way = {};

  bool takes(size_t number, size_t ways) const { return !way || *way % ways == number; }
};

/// "" if every way to compile and run the program gives the right outputs, else what is wrong.
/// Runs in a child process: a crash is a result too.
std::string check(const Graph &graph, const CheckOptions &options = {});

/// True if a BLAS library would compute some of the program.
bool usesBlas(const Graph &graph);

/// A smaller program that check() still refuses.
Graph minimized(Graph graph, const CheckOptions &options = {});

} // namespace zyxc::fuzz
