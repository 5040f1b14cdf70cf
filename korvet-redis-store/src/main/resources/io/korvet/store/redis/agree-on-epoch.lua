-- Finds the number that stands for a set of live members, or gives it a higher one.
-- KEYS  1 epoch
-- ARGV  1 members  2 lowest number that will do  3 number that was stored before the asker looked who lives (-1 for any)
-- Answer  number and members that are stored now: of other members when the stored number was not 3; a stored number that
--         was none and counted as 0 ('' for none such)
local LAST = 2147483646
local stored = redis.call('HMGET', KEYS[1], 'epoch', 'brokers')
local text = stored[1] or ''
local epoch = #text <= 10 and string.match(text, '^%d+$') and tonumber(text) or -1
local refused = ''
if epoch < 0 or epoch > LAST then
  epoch = 0
  refused = text
end
local least = tonumber(ARGV[2])
if stored[2] == ARGV[1] and epoch >= least then
  return {epoch, ARGV[1], ''}
end
local seen = tonumber(ARGV[3])
if seen >= 0 and seen ~= epoch then
  return {epoch, stored[2] or '', refused}
end
-- Seconds since 2026: also a Redis that has lost its data answers above what it answered before.
local seconds = tonumber(redis.call('TIME')[1]) - 1767225600
epoch = math.min(math.max(epoch + 1, least, seconds), LAST)
redis.call('HSET', KEYS[1], 'epoch', string.format('%.0f', epoch), 'brokers', ARGV[1])
return {epoch, ARGV[1], refused}
