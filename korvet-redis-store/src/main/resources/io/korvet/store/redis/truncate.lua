-- Moves the start of a log up.
-- KEYS  1 meta
-- ARGV  1 incarnation  2 the new start
-- Answer  the start that holds now, nil for a log of another incarnation
--@include below.lua
local m = redis.call('HMGET', KEYS[1], 'incarnation', 'start')
if m[1] ~= ARGV[1] then
  return false
end
if below(m[2], ARGV[2]) then
  redis.call('HSET', KEYS[1], 'start', ARGV[2])
  return ARGV[2]
end
return m[2]
