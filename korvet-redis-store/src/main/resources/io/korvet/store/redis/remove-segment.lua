-- Removes the oldest segment from the catalog and from Redis and moves the start of the log up; segments before it that
-- are only in the remote tier may stay.
-- KEYS  1 meta  2 segments  3 stream  4 its times index
-- ARGV  1 incarnation  2 segment  3 start of the log
-- Answer  1 done (now or earlier), 0 not applicable, -1 fenced
--@include below.lua
local m = redis.call('HMGET', KEYS[1], 'incarnation', 'segment', 'start')
if m[1] ~= ARGV[1] then
  return -1
end
local number = tonumber(ARGV[2])
if number >= tonumber(m[2]) then
  return 0
end
local segments = redis.call('HKEYS', KEYS[2])
for i = 1, #segments do
  if tonumber(segments[i]) < number
    and cjson.decode(redis.call('HGET', KEYS[2], segments[i])).state ~= 'DROPPED' then
    return 0
  end
end
redis.call('HDEL', KEYS[2], ARGV[2])
redis.call('UNLINK', KEYS[3], KEYS[4])
if below(m[3], ARGV[3]) then
  redis.call('HSET', KEYS[1], 'start', ARGV[3])
end
return 1
