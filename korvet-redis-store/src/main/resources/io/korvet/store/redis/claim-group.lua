-- Takes a group over: with an epoch from before this one it can't be written any more.
-- KEYS  1 the group's members
-- Answer  epoch (microseconds of Redis' clock, above the one that is stored), fields and values of the hash
local time = redis.call('TIME')
local epoch = tonumber(time[1]) * 1000000 + tonumber(time[2])
local fields = redis.call('HGETALL', KEYS[1])
if #fields > 0 then
  local stored = tonumber(redis.call('HGET', KEYS[1], 'epoch') or '0')
  epoch = math.max(epoch, stored + 1)
  -- What can't be written, for instance because memory is full, must still be readable.
  local written = redis.pcall('HSET', KEYS[1], 'epoch', string.format('%.0f', epoch))
  if type(written) == 'table' and written['err'] then
    epoch = stored
  end
end
return {string.format('%.0f', epoch), fields}
