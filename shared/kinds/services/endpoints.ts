/** Strategies of Endpoints and EndpointSlices, which are only stored: no controller maintains them. */
import { deepEqual } from '../../kube/json/deep-equal.ts';
import { counted, storedObject } from '../contract/stored-object.ts';
import type { EndpointSlice } from './validate-endpoint-slice.ts';
import {
  defaultEndpointSlice,
  validateEndpointSlice,
  validateEndpointSliceUpdate,
} from './validate-endpoint-slice.ts';
import type { Endpoints } from './validate-endpoints.ts';
import { defaultEndpoints, validateEndpoints } from './validate-endpoints.ts';

/** How Endpoints behave. */
export const endpointsStrategy = storedObject<Endpoints>(
  {
    kind: { group: '', version: 'v1', kind: 'Endpoints', resource: 'endpoints', namespaced: true },
    message: 'core.v1.Endpoints',
    rules: validateEndpoints,
  },
  { defaults: defaultEndpoints, createsOnUpdate: true },
);

const CONTENT = ['endpoints', 'ports', 'addressType'] as const;

const differs = (after: EndpointSlice, before: EndpointSlice): boolean =>
  CONTENT.some((part) => !deepEqual(after[part], before[part])) ||
  !deepEqual(after.metadata.labels, before.metadata.labels) ||
  !deepEqual(after.metadata.annotations, before.metadata.annotations);

/** How EndpointSlices behave. */
export const endpointSliceStrategy = storedObject<EndpointSlice>(
  {
    kind: {
      group: 'discovery.k8s.io',
      version: 'v1',
      kind: 'EndpointSlice',
      resource: 'endpointslices',
      namespaced: true,
    },
    message: 'discovery.v1.EndpointSlice',
    rules: validateEndpointSlice,
    changeRules: validateEndpointSliceUpdate,
  },
  { ...counted<EndpointSlice>(differs), defaults: defaultEndpointSlice },
);
