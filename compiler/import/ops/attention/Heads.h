// Heads of attention: packed in the last axis or with an axis of their own, and shared by groups.
#pragma once
#include "compiler/import/node/OnnxNode.h"

namespace zyxc::importer {

/// [B,S,H*D] as [B,H,S,D]; values with 4 axes stay. `heads` must divide the last axis.
Expected<GraphValue> unpackHeads(OnnxNode &n, GraphValue x, int64_t heads);
/// [B,H,S,D] as [B,S,H*D].
GraphValue packHeads(GraphWriter &g, GraphValue x);

/// Product of x [B,Hq,S,K] with y [B,Hkv,K,T], where each head of y serves Hq / Hkv neighbours of
/// x: [B,Hq,S,T].
GraphValue groupedProduct(GraphWriter &g, GraphValue x, GraphValue y);

/// The key of a query's head has the same axes; how many query heads share it must be whole.
Status checkHeads(OnnxNode &n, GraphValue query, GraphValue key, GraphValue value);

} // namespace zyxc::importer
