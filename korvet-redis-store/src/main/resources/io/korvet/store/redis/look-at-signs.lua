-- Reads the signs of life of all members, and how many clients of this node listen on each one's channel.
-- KEYS  1 signs
-- ARGV  1 what precedes the member in its channel's name
-- Answer  member, sign, listeners of each
local signs = redis.call('HGETALL', KEYS[1])
local channels = {'NUMSUB'}
for i = 1, #signs, 2 do
  channels[#channels + 1] = ARGV[1] .. signs[i]
end
local listeners = redis.call('PUBSUB', unpack(channels))
local answer = {}
for i = 1, #signs, 2 do
  answer[#answer + 1] = signs[i]
  answer[#answer + 1] = signs[i + 1]
  answer[#answer + 1] = listeners[i + 1]
end
return answer
