/** `/data/live`: the fleet, as it changes. */
import { matchesFields, parseFieldSelector } from '../../../shared/kube/selector/field-selector.ts';
import { matchesLabels, parseLabelSelector } from '../../../shared/kube/selector/label-selector.ts';
import type { Entry } from '../live/fleet-state.ts';
import { TICK_MS } from '../live/live-fleet.ts';
import { liveStream } from '../live/live-stream.ts';
import type { DataRoute } from './route.ts';

const FIELDS = ['metadata.name', 'spec.unschedulable'];

/** Whether a node is selected, by the selectors of the API's lists. Throws for selectors that it would refuse. */
export const selectionOf = (query: URLSearchParams): ((entry: Entry) => boolean) => {
  const labels = parseLabelSelector(query.get('labelSelector') ?? '');
  const fields = parseFieldSelector(query.get('fieldSelector') ?? '');
  const unknown = fields.find(({ path }) => !FIELDS.includes(path));
  if (unknown) throw new Error(`"${unknown.path}" is none of the fields of nodes: ${FIELDS.join(', ')}`);
  return (entry) =>
    matchesLabels(labels, entry.labels) &&
    matchesFields(fields, {
      'metadata.name': entry.cell.name,
      'spec.unschedulable': String(entry.line.isCordoned),
    });
};

export const liveRoute: DataRoute = ({ path, query, headers, signal }, { fleet, now, epoch }) => {
  if (path !== '/live') return undefined;
  const after = String(headers['last-event-id'] ?? '');
  const answer = async () => {
    const selects = selectionOf(query);
    const leave = fleet.join();
    signal.addEventListener('abort', leave, { once: true });
    const events = liveStream({ fleet, now, epoch, tickMs: TICK_MS }, { selects, after, signal });
    return { status: 200, events };
  };
  return answer().catch((error: Error) => ({ status: 400, body: { message: error.message } }));
};
