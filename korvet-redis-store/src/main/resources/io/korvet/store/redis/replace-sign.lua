-- Replaces the sign of a member that is thought to be dead, unless it shows life.
-- KEYS  1 signs  2 rows of the registry
-- ARGV  1 member  2 its sign as seen  3 its row as seen  4 its channel, on which nobody may listen ('' for not asked)  5 new sign
-- Answer  1 replaced, 0 it shows life
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] or redis.call('HGET', KEYS[2], ARGV[1]) ~= ARGV[3] then
  return 0
end
if ARGV[4] ~= '' and redis.call('PUBSUB', 'NUMSUB', ARGV[4])[2] ~= 0 then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[5])
return 1
