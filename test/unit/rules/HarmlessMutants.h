// Mutants of the built-in rules that hold, each with its reason: mistakes of the text that are none
// of the meaning. Test code only.
#pragma once
#include "test/unit/rules/Mutants.h"

namespace zyxc::rules {

/// Mutants that hold.
struct HarmlessMutants {
  std::string_view rule;   ///< empty: any
  std::string_view change; ///< how Mutant::change begins
  std::string_view reason;
};

inline constexpr HarmlessMutants harmlessMutants[] = {
    // Conditions and constraints that say when a rule pays, or what the types say anyway.
    {"", "drop if smaller", "says when the rule pays"},
    {"", "drop if larger", "says when the rule pays"},
    {"", "drop if variable", "says when the rule pays"},
    {"", "drop :parameter", "says when the rule pays"},
    {"", "drop if is_reshape", "a reshape of a view that is none is refused or is the view"},
    {"", "drop :splat", "reciprocals and splat_like exist for splats only"},
    {"", "drop if same_type", "the op over x and y has a type only if theirs is one"},
    {"", "drop if same(", "both sides have one type only then"},
    {"", "drop if all_equal", "both sides have one type only then"},
    {"", "drop if unit_axes", "the reshape is refused otherwise"},
    // Functions whose arguments may be swapped.
    {"", "swap operands 0 and 1 of same", "equality is symmetric"},
    {"", "swap operands 0 and 1 of add_lists", "a sum is symmetric"},
    {"", "swap operands 0 and 1 of contract_of_product", "a product commutes"},
    // Identities that other ops have, too.
    {"mul-one", "op div for mul", "x / 1 = x"},
    {"mul-one", "op pow for mul", "x ^ 1 = x"},
    {"div-one", "op mul for div", "x * 1 = x"},
    {"div-one", "op pow for div", "x ^ 1 = x"},
    {"pow-one", "op mul for pow", "x * 1 = x"},
    {"pow-one", "op div for pow", "x / 1 = x"},
    {"add-zero-int", "op sub for add", "x - 0 = x"},
    {"add-zero-int", "op rem for add", "x rem 0 is x by definition"},
    {"add-zero-int", "op mod for add", "x mod 0 is x by definition"},
    {"mul-zero-int", "op div for mul", "x / 0 is 0 by definition"},
    {"sub-self-int", "op rem for sub", "x rem x = 0, for x = 0 too"},
    {"sub-self-int", "op mod for sub", "x mod x = 0, for x = 0 too"},
    {"abs-neg", "op abs for neg", "an absolute value twice"},
    {"max-same", "op min for max", "both are idempotent"},
    {"min-same", "op max for min", "both are idempotent"},
    {"and-same", "op or for and", "both are idempotent"},
    {"or-same", "op and for or", "both are idempotent"},
    {"or-false", "op xor for or", "x xor 0 = x"},
    {"floor-floor", "op", "each rounding keeps integral values"},
    {"ceil-ceil", "op", "each rounding keeps integral values"},
    {"trunc-trunc", "op", "each rounding keeps integral values"},
    {"round-round", "op", "each rounding keeps integral values"},
    {"max-of-one", "op reduce_prod for reduce_max", "of one element"},
    {"max-of-one", "op reduce_min for reduce_max", "of one element"},
    {"min-of-one", "op reduce_prod for reduce_min", "of one element"},
    {"min-of-one", "op reduce_max for reduce_min", "of one element"},
    {"sum-of-one", "op", "of one element"},
    {"add-zero", "op sub for add", "x - 0 = x"},
    {"sub-self", "op rem for sub", "x rem x = 0 for numbers other than 0"},
    {"sub-self", "op mod for sub", "x mod x = 0 for numbers other than 0"},
    // Numbers.
    {"add-zero", "number -0.0 for 0", "-0 is neutral for sure"},
    {"sub-self", "number -0.0 for 0", "algebra ignores the sign of zero"},
    {"mul-zero", "number -0.0 for 0", "algebra ignores the sign of zero"},
    {"sub-from-zero", "number -0.0 for 0", "-0 - x is the opposite for sure"},
    {"pow-zero", "number -0.0 for 0", "x to the power of -0 is 1, too"},
    {"max-pool-one", "number 2 for 1", "strides of 2 keep the type where the extent is 1"},
    {"avg-pool-one", "number 2 for 1", "strides of 2 keep the type where the extent is 1"},
    {"avg-pool-one", "number 1 for 0", "no window of one element meets the padding"},
    // Constraints of dtypes that another thing implies, or whose rule holds for integers as well.
    {"sub-from-negative-zero", "drop :float", "a number with a point matches floats only"},
    {"pow-half", "drop :float", "a number with a point matches floats only"},
    {"div-one-by", "drop :float", "integers have no reciprocals"},
    {"pow-minus-one", "drop :float", "integers have no reciprocals"},
    {"add-negative-zero", "drop :float", "a number with a point matches floats only"},
    {"div-power-of-two", "drop :float", "integers have no reciprocals"},
    {"div-parameter", "drop :float", "integers have no reciprocals"},
    {"add-add", "drop :float", "holds for integers exactly"},
    {"mul-mul", "drop :float", "holds for integers exactly"},
    {"sum-of-sum", "drop :float", "holds for integers exactly"},
    {"prod-of-prod", "drop :float", "holds for integers exactly"},
    {"contract-of-product-float", "drop :float", "holds for integers exactly"},
    {"pow-two", "drop :float", "holds for integers exactly"},
    {"pow-three", "drop :float", "holds for integers exactly"},
    {"sum-of-neg", "drop :float", "holds for integers exactly"},
    {"sub-from-zero", "drop :float", "holds for integers exactly"},
    {"neg-sub", "drop :float", "holds for integers exactly"},
    {"mul-zero", "drop :float", "holds for integers exactly"},
    {"factor-out-difference", "drop :float", "holds for integers exactly"},
    {"sub-self", "drop :float", "holds for integers exactly"},
    {"add-zero", "drop :float", "holds for integers exactly"},
    {"scale-of-shift", "drop :float", "holds for integers exactly"},
    {"factor-out", "drop :float", "holds for integers exactly"},
    {"div-self", "swap operands 0 and 1 of div", "the constraint is of the same variable"},
    {"sub-self-int", "swap operands 0 and 1 of sub", "the constraint is of the same variable"},
    {"sub-self", "swap operands 0 and 1 of sub", "the constraint is of the same variable"},
    // Attributes that the type of the result fixes.
    {"cast-chain", "variable ?d for ?e", "both sides have one type only where d is e"},
    {"bitcast-chain", "variable ?d for ?e", "both sides have one type only where d is e"},
    {"pad-pad", "variable ?a", "both sides have one type only where the sum is the same"},
    {"pad-pad", "variable ?b", "both sides have one type only where the sum is the same"},
    {"pad-pad", "variable ?c", "both sides have one type only where the sum is the same"},
    {"pad-pad", "variable ?d", "both sides have one type only where the sum is the same"},
    {"unary-below-pad", "variable ?a for ?b", "both sides have one type only where a is b"},
    {"unary-below-pad", "variable ?b for ?a", "both sides have one type only where a is b"},
    {"contract-factor-left", "variable ?t for ?d",
     "both sides have one type only where both are one"},
    {"contract-factor-right", "variable ?t for ?d",
     "both sides have one type only where both are one"},
    {"scale-contract", "variable ?t for ?d", "both sides have one type only where both are one"},
    {"scale-contract", "swap operands 5 and 6", "both sides have one type only where both are one"},
    // Levels.
    {"pow-two", "level exact",
     "pow(x, 2) of the interpreter is the rounded product; code allows 2 ulp"},
    {"div-parameter", "op exact_reciprocal for reciprocal", "the same for powers of two only"},
};

} // namespace zyxc::rules
