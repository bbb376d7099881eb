import { createHeartbeatStore } from '../../shared/adapters/dynamodb/nodes/heartbeat-store.ts';
import { createKeyUses } from '../../shared/adapters/dynamodb/objects/key-uses.ts';
import { createObjectStore } from '../../shared/adapters/dynamodb/objects/object-store.ts';
import { createPublicKeys } from '../../shared/adapters/dynamodb/objects/public-keys.ts';
import { createDocumentClient } from '../../shared/adapters/dynamodb/table/client.ts';
import { problemOfStorage } from '../../shared/adapters/dynamodb/table/problems.ts';
import { createPublishedVerifyingKeys } from '../../shared/adapters/secrets/published-keys.ts';
import { systemClock as clock } from '../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../shared/adapters/system/id-source.ts';
import { API_SERVER_DEFAULTS } from '../../shared/apiserver/contract/deps.ts';
import { createHeartbeatServer } from '../../shared/apiserver/heartbeat-server.ts';
import { apiServerConfig, tableNames } from '../../shared/settings/aws/env.ts';
import { noteLease, withLeaseListener } from '../../shared/store/beats/lease-news.ts';
import { composeHttp, logRequestFailure } from '../runtime/compose-http.ts';
import { parseEnv } from '../runtime/parse-env.ts';
import { HeartbeatEnv } from './env.ts';
import { withUnverifiableTokens } from './unverifiable-tokens.ts';

const env = parseEnv(HeartbeatEnv);
const config = { ...API_SERVER_DEFAULTS, ...apiServerConfig(env) };
const dynamo = { client: createDocumentClient(), tables: tableNames(env), clock, ids };
const stores = { objects: createObjectStore(dynamo), heartbeats: createHeartbeatStore(dynamo), clock, ids };
const state = {
  ...withLeaseListener(stores, { onChange: noteLease(stores) }),
  keyUses: createKeyUses(dynamo),
};
const publicKeys = createPublicKeys(dynamo);
const signingKeys = createPublishedVerifyingKeys({ publicKeys, clock });
const logger = { requestFailed: logRequestFailure };
const deps = { ...state, signingKeys, config, logger, statusOf: problemOfStorage };

export const handler = composeHttp(
  withUnverifiableTokens(createHeartbeatServer(deps), { apiUrl: env.API_URL, fetch, signingKeys }),
);
