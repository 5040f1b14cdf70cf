-- Removes all keys of a log unless it is of another incarnation by now.
-- KEYS  1 meta  2 producers  3 segments
-- ARGV  1 incarnation  2 what precedes a segment's number in its key  3 what follows it in its times index
-- Answer  1 removed, 0 is of another incarnation
--@include drop-log.lua
local incarnation = redis.call('HGET', KEYS[1], 'incarnation')
if incarnation and incarnation ~= ARGV[1] then
  return 0
end
drop_log(KEYS, ARGV[2], ARGV[3])
return 1
