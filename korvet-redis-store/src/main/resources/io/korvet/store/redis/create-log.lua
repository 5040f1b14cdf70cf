-- Makes an empty log of an incarnation; what an earlier one left is removed in the same act.
-- KEYS  1 meta  2 producers  3 segments
-- ARGV  1 incarnation  2 what precedes a segment's number in its key  3 what follows it in its times index
-- Answer  1 made, 0 was there already
--@include drop-log.lua
if redis.call('HGET', KEYS[1], 'incarnation') == ARGV[1] then
  return 0
end
drop_log(KEYS, ARGV[2], ARGV[3])
-- The note is for people; being longer than 64 bytes it also makes the hash a table, in which a field costs less.
redis.call('HSET', KEYS[1], 'incarnation', ARGV[1], 'segment', '0', 'start', '0', 'entries', '0', 'bytes', '0', 'about',
  'bookkeeping of one log of records and of its open segment, kept by Korvet (docs/redis-keys.md)')
return 1
