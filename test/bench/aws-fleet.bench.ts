/** What 130,000 nodes need on AWS, computed from figures that other parts of the bench measure, from quotas and from list prices. */
import { beatsDollars, passesDollars, requestsPerSecond } from '../../cli/cost/estimate.ts';
import { BATCH, BEAT, PASS, QUOTA } from '../../cli/cost/measured.ts';
import { LIST_PRICES } from '../../cli/cost/prices.ts';
import type { Bench, Figure } from './figures.ts';

/** Nodes that beat each ten seconds, 13,000 beats a second. */
const NODES = 130_000;
const INTERVAL_SECONDS = 10;
/** Part `rows`: memory of a pass over 10,000 nodes at 256 MB. */
const PASS_MEGABYTES = 232;
const FLEET = { nodes: NODES, intervalSeconds: INTERVAL_SECONDS, zones: 3, hasAgents: false };

const DIRECT = NODES / INTERVAL_SECONDS;
const BATCHES = requestsPerSecond({ ...FLEET, isRelayed: true });

const directFigures = (): readonly Figure[] => [
  { name: `${NODES} nodes, directly: beats`, unit: '1/s', value: DIRECT },
  { name: 'writes', unit: 'WRU/s', value: DIRECT * BEAT.writes, target: { atMost: QUOTA.tableWrites } },
  {
    name: 'partitions of the table, at least',
    unit: '',
    value: Math.ceil((DIRECT * BEAT.writes) / QUOTA.partitionWrites),
    note: 'keys are names of nodes, so beats spread evenly',
  },
  { name: 'writes of one key', unit: 'WRU/s', value: 1 / INTERVAL_SECONDS },
  {
    name: 'executions that work at a time',
    unit: '',
    value: DIRECT * BEAT.seconds,
  },
  {
    name: 'executions that the URL needs',
    unit: '',
    value: Math.ceil(DIRECT / QUOTA.requestsOfExecution),
    target: { atMost: QUOTA.executions },
    note: 'ten requests a second each',
  },
  { name: 'price', unit: '$/month', value: beatsDollars({ ...FLEET, isRelayed: false }, LIST_PRICES) },
];

const relayFigures = (): readonly Figure[] => [
  { name: `${NODES} nodes, relays of ${BATCH.nodes}: batches`, unit: '1/s', value: BATCHES },
  {
    name: 'executions that the URL needs',
    unit: '',
    value: Math.ceil(BATCHES / QUOTA.requestsOfExecution),
  },
  {
    name: 'price',
    unit: '$/month',
    value: beatsDollars({ ...FLEET, isRelayed: true }, LIST_PRICES),
  },
];

const passFigures = (): readonly Figure[] => {
  const share = NODES / PASS.nodes;
  const seconds = PASS.seconds * share;
  return [
    { name: `a pass over ${NODES} nodes`, unit: 'RRU', value: PASS.reads * share },
    { name: 'its duration at 256 MB', unit: 's', value: seconds, target: { atMost: PASS.everySeconds } },
    { name: 'its memory', unit: 'MB', value: PASS_MEGABYTES * share, note: 'linear, so an upper bound' },
    {
      name: 'price of all passes',
      unit: '$/month',
      value: passesDollars({ nodes: NODES, isRelayed: false }, LIST_PRICES),
    },
  ];
};

export const awsFleet: Bench = async () => [...directFigures(), ...relayFigures(), ...passFigures()];
