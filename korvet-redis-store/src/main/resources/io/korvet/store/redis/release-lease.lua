-- Gives a lease back if it is held with this token.
-- KEYS  1 lease
-- ARGV  1 token
-- Answer  1 given back, 0 was not held
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
