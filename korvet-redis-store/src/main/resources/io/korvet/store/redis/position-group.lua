-- Puts a native consumer group on a position, making it if need be; a stream that is not there is left alone.
-- KEYS  1 stream
-- ARGV  1 group  2 last id delivered
-- Answer  1 done, 0 no such stream
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
local moved = redis.pcall('XGROUP', 'SETID', KEYS[1], ARGV[1], ARGV[2])
if type(moved) == 'table' and moved.err then
  redis.call('XGROUP', 'CREATE', KEYS[1], ARGV[1], ARGV[2])
end
return 1
