-- Whether one id of an entry is above another.
--@include below.lua
local function above(a, b)
  local a_ms, a_seq = string.match(a, '^(%d+)-(%d+)$')
  local b_ms, b_seq = string.match(b, '^(%d+)-(%d+)$')
  return below(b_ms, a_ms) or a_ms == b_ms and below(b_seq, a_seq)
end
