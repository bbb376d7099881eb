/** Recognizes the machines of the relay before their requests are read, so that nobody else can keep their beats out. */

import type { RequestHead } from '../shared/apiserver/contract/http.ts';
import { tooManyRequests } from '../shared/kube/errors/status-error.ts';
import { createKeyedPlaces, type Leave } from '../shared/serving/bodies/connection-limits.ts';
import { beatingNode } from './beat-request.ts';
import { shownToken } from './shown-token.ts';
import type { Site } from './site.ts';

/** Beats of one node in flight: one, and repetitions because an answer was late. */
const BEATS_OF_NODE = 8;
const RETRY_SECONDS = 1;

export const createKnownSenders = (site: Pick<Site, 'find'>) => {
  const places = createKeyedPlaces(BEATS_OF_NODE, (node) =>
    tooManyRequests(`${node} has ${BEATS_OF_NODE} beats in flight, which is the limit`, RETRY_SECONDS),
  );
  return {
    /** The place of a beat of a node that the relay knows; `undefined` for all other requests. Throws 429. */
    placeOf: (request: RequestHead): Leave | undefined => {
      const shown = shownToken(request.headers['authorization']);
      const node = shown && site.find(shown);
      if (!node) return undefined;
      request.onSender?.(node.name);
      return beatingNode(request) === node.name ? places.take(node.name) : undefined;
    },
  };
};
