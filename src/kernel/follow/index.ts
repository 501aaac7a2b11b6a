export type { FollowBatch, Follower, FollowRules, FollowScan } from './follower.ts'
export { type FollowOffset, parseOffset } from './offset.ts'
export { type FollowFrom, openFollower } from './open-follower.ts'
