-- Writes a writer's state once more as it is, so that a WAIT behind it speaks for all that was written before.
-- KEYS  1 producers
-- ARGV  1 writer
-- Answer  the state, nil when there is none
local state = redis.call('HGET', KEYS[1], ARGV[1])
if state then
  redis.call('HSET', KEYS[1], ARGV[1], state)
end
return state
