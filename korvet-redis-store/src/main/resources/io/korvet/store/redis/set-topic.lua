-- Adds, replaces or removes a topic's row if it is still exactly as expected, and raises the catalog's version.
-- KEYS  1 topics  2 removed topics  3 version
-- ARGV  1 name  2 expected row ('' for none)  3 new row ('' to remove it)  4 id under which a removed row is remembered
-- Answer  1 done, 0 the row is another
local row = redis.call('HGET', KEYS[1], ARGV[1]) or ''
if row ~= ARGV[2] then
  return 0
end
redis.call('HLEN', KEYS[2])
redis.call('INCR', KEYS[3])
if ARGV[3] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
  redis.call('HSET', KEYS[2], ARGV[4], row)
else
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
end
return 1
