-- Moves a segment to a state that may follow the one it is in.
-- KEYS  1 meta  2 segments  3 stream  4 its times index
-- ARGV  1 incarnation  2 segment  3 state it must be in  4 state to put it in  5 remote file ('' to leave it)
--       6 '1' to remove the entries from Redis
-- Answer  1 done (now or earlier), 0 not applicable, -1 fenced
if redis.call('HGET', KEYS[1], 'incarnation') ~= ARGV[1] then
  return -1
end
local text = redis.call('HGET', KEYS[2], ARGV[2])
if not text then
  return 0
end
local row = cjson.decode(text)
if row.state == ARGV[4] and (ARGV[5] == '' or row.remoteFile == ARGV[5]) then
  return 1
end
if row.state ~= ARGV[3] then
  return 0
end
row.state = ARGV[4]
if ARGV[5] ~= '' then
  row.remoteFile = ARGV[5]
end
redis.call('HSET', KEYS[2], ARGV[2], cjson.encode(row))
if ARGV[6] == '1' then
  redis.call('UNLINK', KEYS[3], KEYS[4])
end
return 1
