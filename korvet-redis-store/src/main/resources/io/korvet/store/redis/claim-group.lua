-- Takes a group over: with an epoch from before this one neither members nor positions can be written any more.
-- KEYS  1 the group's members  2 its positions
-- Answer  epoch (microseconds of Redis' clock, above the one that was stored), whether it is stored now (1) or not (0), fields and
-- values of the hash as it was
--@include group-claim.lua
local time = redis.call('TIME')
local fields = redis.call('HGETALL', KEYS[1])
local stored = tonumber(redis.call('HGET', KEYS[1], 'epoch') or '0')
local epoch = string.format('%.0f', math.max(tonumber(time[1]) * 1000000 + tonumber(time[2]), stored + 1))
-- What can't be written, for instance because memory is full, must still be readable.
local done = store_claim(redis.pcall, KEYS[1], epoch)
if done then
  keep_claim(KEYS[1], KEYS[2])
end
return {epoch, done and 1 or 0, fields}
