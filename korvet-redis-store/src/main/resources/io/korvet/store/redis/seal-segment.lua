-- Seals the open segment and opens the next one, empty. What other clients wrote to it since the last append goes into the
-- bookkeeping first, so that the row says what the segment has.
-- KEYS  1 meta  2 segments  3 stream of the next segment  4 its times index  5 stream of the segment
-- ARGV  1 incarnation  2 segment  3 the next segment  4 the caller's clock
-- Answer  1 done (now or earlier), 0 not applicable, -1 fenced
--@include seal-row.lua
--@include above.lua
local m = redis.call('HMGET', KEYS[1], 'incarnation', 'segment', 'entries', 'last', 'min_timestamp', 'max_timestamp')
if m[1] ~= ARGV[1] then
  return -1
end
if m[2] ~= ARGV[2] then
  return redis.call('HEXISTS', KEYS[2], ARGV[2])
end
local length = string.format('%.0f', redis.call('XLEN', KEYS[5]))
if length == '0' then
  return 0
end
if length ~= m[3] then
  redis.call('HSET', KEYS[1], 'entries', length)
  redis.call('HSETNX', KEYS[1], 'opened', ARGV[4])
  -- Only an id above the log's end moves it, and in a log of dense offsets only one of millisecond 1, as in an append.
  local oldest = redis.call('XRANGE', KEYS[5], '-', '+', 'COUNT', 1)[1][1]
  if string.sub(m[4] or oldest, 1, 2) == '1-' then
    local above_end = m[4] and '(' .. m[4] or '-'
    local newest = redis.call('XREVRANGE', KEYS[5], '1-999999999999999999', above_end, 'COUNT', 1)[1]
    if newest then
      redis.call('HSETNX', KEYS[1], 'first', redis.call('XRANGE', KEYS[5], above_end, '+', 'COUNT', 1)[1][1])
      redis.call('HSET', KEYS[1], 'last', newest[1])
    end
  else
    local newest = redis.call('XREVRANGE', KEYS[5], '+', '-', 'COUNT', 1)[1][1]
    local first_ms, last_ms = string.match(oldest, '^%d+'), string.match(newest, '^%d+')
    redis.call('HSET', KEYS[1], 'first', oldest)
    if not m[4] or above(newest, m[4]) then
      redis.call('HSET', KEYS[1], 'last', newest)
    end
    if not m[5] or tonumber(first_ms) < tonumber(m[5]) then
      redis.call('HSET', KEYS[1], 'min_timestamp', first_ms)
    end
    if not m[6] or tonumber(last_ms) > tonumber(m[6]) then
      redis.call('HSET', KEYS[1], 'max_timestamp', last_ms, 'max_timestamp_id', newest)
    end
  end
end
redis.call('HSET', KEYS[2], ARGV[2], seal_row(KEYS[1]))
redis.call('UNLINK', KEYS[3], KEYS[4])
redis.call('HDEL', KEYS[1], 'first', 'min_timestamp', 'max_timestamp', 'max_timestamp_id')
redis.call('HSET', KEYS[1], 'segment', ARGV[3], 'entries', '0', 'bytes', '0', 'opened', ARGV[4])
return 1
