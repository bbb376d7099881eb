import { problemOfStorage } from '../../shared/adapters/dynamodb/table/problems.ts';
import { systemClock as clock } from '../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../shared/adapters/system/id-source.ts';
import { createApiServer } from '../../shared/apiserver/api-server.ts';
import type { ApiServerDeps } from '../../shared/apiserver/contract/deps.ts';
import { createWatches, functionWatchLimits } from '../../shared/apiserver/feed/watches.ts';
import { tableNames } from '../../shared/settings/aws/env.ts';
import { followLeaseNotes, noteLease, withLeaseListener } from '../../shared/store/beats/lease-news.ts';
import { createLister } from '../../shared/store/lists/lists.ts';
import { createObjectWriter } from '../../shared/store/writer/object-writer.ts';
import {
  canStream,
  composeHttp,
  composeHttpStream,
  logRequestFailure,
  logWatchFailure,
} from '../runtime/compose-http.ts';
import { parseEnv } from '../runtime/parse-env.ts';
import { createAnnouncedKeys } from './announced-keys.ts';
import { configOf } from './config.ts';
import { ApiserverEnv } from './env.ts';
import { createApiStores } from './stores.ts';

const env = parseEnv(ApiserverEnv);
const config = configOf(env);
const { plain, publicKeys, effects } = await createApiStores(tableNames(env), clock, ids, env.NODE_IPAM);
const stores = { ...withLeaseListener(plain, { onChange: noteLease(plain) }), ...effects };
const writer = createObjectWriter({ ...stores, ...config, derivesNodeFields: env.CONDITION_TAINTS });
const signingKeys = createAnnouncedKeys(env.SIGNING_KEY_SECRET_ARN, clock, publicKeys);
const logger = { requestFailed: logRequestFailure };
const controllers: ApiServerDeps['controllers'] = env.CONDITION_TAINTS ? 'all' : 'none';
const lister = createLister(stores);
const streams = env.RESPONSE_STREAM && canStream();
const limits = functionWatchLimits(streams, stores.watchSlots);
const watches = createWatches({ ...stores, lister, limits, onError: logWatchFailure });
const served = { ...stores, leaseNews: followLeaseNotes(stores), watches, lister, writer };
const deps = { ...served, controllers, signingKeys, config, logger, statusOf: problemOfStorage };

export const handler = (streams ? composeHttpStream : composeHttp)(createApiServer(deps));
