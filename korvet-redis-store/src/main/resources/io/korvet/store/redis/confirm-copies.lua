-- Notes up to where a log is known to be copied, so that a WAIT behind it speaks for all that was written before.
-- KEYS  1 meta  2 open segment
-- ARGV  1 incarnation  2 end that is known to be copied, an offset
-- Answer  {the largest end that was ever noted, id of the last entry or ''}, nil for a log of another incarnation
--@include below.lua
--@include above.lua
local m = redis.call('HMGET', KEYS[1], 'incarnation', 'copied', 'last')
if m[1] ~= ARGV[1] then
  return false
end
local copied, last = m[2] or '0', m[3] or ''
if below(copied, ARGV[2]) then
  copied = ARGV[2]
end
redis.call('HSET', KEYS[1], 'copied', copied)
local newest = redis.pcall('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)
if not newest.err and newest[1] and (last == '' or above(newest[1][1], last)) then
  last = newest[1][1]
end
return {copied, last}
