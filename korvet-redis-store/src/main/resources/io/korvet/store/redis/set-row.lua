-- Writes or removes a row of a hash if it is still exactly as expected.
-- KEYS  1 hash
-- ARGV  1 field  2 expected row ('' for none)  3 new row ('' to remove it)
-- Answer  nil done, else the row that is there ('' for none)
local row = redis.call('HGET', KEYS[1], ARGV[1]) or ''
if row ~= ARGV[2] then
  return row
end
if ARGV[3] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
else
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
end
return false
