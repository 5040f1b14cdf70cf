-- Seals the open segment and opens the next one, empty.
-- KEYS  1 meta  2 segments  3 stream of the next segment  4 its times index
-- ARGV  1 incarnation  2 segment  3 the next segment  4 the caller's clock
-- Answer  1 done (now or earlier), 0 not applicable, -1 fenced
--@include seal-row.lua
local m = redis.call('HMGET', KEYS[1], 'incarnation', 'segment', 'entries')
if m[1] ~= ARGV[1] then
  return -1
end
if m[2] ~= ARGV[2] then
  return redis.call('HEXISTS', KEYS[2], ARGV[2])
end
if m[3] == '0' then
  return 0
end
redis.call('HSET', KEYS[2], ARGV[2], seal_row(KEYS[1]))
redis.call('UNLINK', KEYS[3], KEYS[4])
redis.call('HDEL', KEYS[1], 'first', 'min_timestamp', 'max_timestamp', 'max_timestamp_id')
redis.call('HSET', KEYS[1], 'segment', ARGV[3], 'entries', '0', 'bytes', '0', 'opened', ARGV[4])
return 1
