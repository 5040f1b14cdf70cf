-- Forgets writers whose states are still exactly as they were when they were found expired.
-- KEYS  1 producers
-- ARGV  pairs of writer and state
-- Answer  how many were removed
local removed = 0
for i = 1, #ARGV, 2 do
  if redis.call('HGET', KEYS[1], ARGV[i]) == ARGV[i + 1] then
    removed = removed + redis.call('HDEL', KEYS[1], ARGV[i])
  end
end
return removed
