// Damage to a text or a binary file, of the kinds that find holes in parsers.
#pragma once
#include <random>
#include <string>

namespace zyxc::fuzz {

/// A few random edits: bytes flipped, spans removed, repeated or swapped, numbers made extreme, the
/// end cut off.
std::string mutated(std::string text, std::mt19937_64 &random);

} // namespace zyxc::fuzz
