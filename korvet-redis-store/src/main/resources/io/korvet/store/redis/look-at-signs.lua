-- Reads the signs of life of all members, how many clients of this node listen on each one's channel, and their epoch.
-- KEYS  1 signs  2 epoch  3 rows of the registry
-- ARGV  1 what precedes the member in its channel's name  2 the member that looks
-- Answer  epoch and the members that it stands for ('' for none), the looking member's row ('' for none), then member, sign, listeners of each
local signs = redis.call('HGETALL', KEYS[1])
local channels = {'NUMSUB'}
for i = 1, #signs, 2 do
  channels[#channels + 1] = ARGV[1] .. signs[i]
end
local listeners = redis.call('PUBSUB', unpack(channels))
-- Keys of another type there must not keep anybody from looking.
local epoch = redis.pcall('HMGET', KEYS[2], 'epoch', 'brokers')
local row = redis.pcall('HMGET', KEYS[3], ARGV[2])
local answer = {epoch[1] or '', epoch[2] or '', row[1] or ''}
for i = 1, #signs, 2 do
  answer[#answer + 1] = signs[i]
  answer[#answer + 1] = signs[i + 1]
  answer[#answer + 1] = listeners[i + 1]
end
return answer
