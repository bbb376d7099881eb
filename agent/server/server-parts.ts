/** What the agent loads only when it has a server. */
export { createChannelKeeper } from './channel.ts';
export { createTokenCheck } from './check-token.ts';
export { createConnect } from './connect-channel.ts';
export { startNodeServer } from './node-server.ts';
export { createLogHandler } from './serve-logs.ts';
export { createUpgradeHandler } from './serve-streams.ts';
export { createSessionKeys } from './session-keys.ts';
