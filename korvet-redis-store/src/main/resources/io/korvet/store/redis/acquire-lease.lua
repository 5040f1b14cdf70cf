-- Takes a lease that is free, or renews the one held with this token.
-- KEYS  1 lease
-- ARGV  1 token  2 milliseconds
-- Answer  1 held, 0 another holds it
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
