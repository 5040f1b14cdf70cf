-- Removes a native consumer group if it is there.
-- KEYS  1 stream
-- ARGV  1 group
-- Answer  1 removed, 0 was not there
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
return redis.call('XGROUP', 'DESTROY', KEYS[1], ARGV[1])
