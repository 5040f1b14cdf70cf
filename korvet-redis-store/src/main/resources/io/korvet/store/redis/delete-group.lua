-- Removes a group's members, unless somebody has claimed the group since.
-- KEYS  1 the group's members
-- ARGV  1 epoch
-- Answer  1 done, 0 claimed by another
if tonumber(redis.call('HGET', KEYS[1], 'epoch') or '0') > tonumber(ARGV[1]) then
  return 0
end
redis.call('DEL', KEYS[1])
return 1
