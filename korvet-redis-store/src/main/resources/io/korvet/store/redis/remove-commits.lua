-- Removes positions of a group.
-- KEYS  1 commits of the group
-- ARGV  fields
-- Answer  how many are left
for i = 1, #ARGV do
  redis.call('HDEL', KEYS[1], ARGV[i])
end
return redis.call('HLEN', KEYS[1])
