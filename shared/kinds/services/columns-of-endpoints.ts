/** Printers of Endpoints and EndpointSlices. */
import { ageOf } from '../../kube/text/human-duration.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { Printer } from '../fields/column.ts';
import { AGE_COLUMN, column, NAME_COLUMN, NONE, UNSET } from '../fields/column.ts';

/** How many elements of a list are printed; the rest is given as a number. */
const SHOWN = 3;

interface Port {
  readonly name?: string;
  readonly port?: number;
}

interface Endpoints extends ApiObject {
  readonly subsets?: readonly {
    readonly addresses?: readonly { readonly ip?: string }[];
    readonly ports?: readonly Port[];
  }[];
}

const shortened = (texts: readonly string[], none: string): string => {
  const shown = texts.slice(0, SHOWN).join(',');
  if (texts.length === 0) return none;
  return texts.length > SHOWN ? `${shown} + ${texts.length - SHOWN} more...` : shown;
};

const joinHostPort = (ip: string, port: number): string => `${ip.includes(':') ? `[${ip}]` : ip}:${port}`;

const endpointTexts = ({ subsets = [] }: Endpoints): readonly string[] =>
  subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip = '' }) => ip)
      : ports.flatMap(({ port = 0 }) => addresses.map(({ ip = '' }) => joinHostPort(ip, port))),
  );

/** The table of `kubectl get endpoints`. */
export const endpointsPrinter: Printer = {
  columns: [NAME_COLUMN, column('Endpoints', 'The addresses that are ready.'), AGE_COLUMN],
  cells: (endpoints: Endpoints, now) => [
    endpoints.metadata.name,
    (endpoints.subsets ?? []).length === 0 ? NONE : shortened(endpointTexts(endpoints), ''),
    ageOf(endpoints.metadata.creationTimestamp, now),
  ],
};

interface EndpointSlice extends ApiObject {
  readonly addressType?: string;
  readonly ports?: readonly Port[] | null;
  readonly endpoints?: readonly { readonly addresses?: readonly string[] }[] | null;
}

/** The table of `kubectl get endpointslices`. */
export const endpointSlicePrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column('AddressType', 'The type of its addresses.'),
    column('Ports', 'The ports of its endpoints.'),
    column('Endpoints', 'Its addresses.'),
    AGE_COLUMN,
  ],
  cells: ({ metadata, addressType, ports, endpoints }: EndpointSlice, now) => [
    metadata.name,
    addressType ?? '',
    shortened(
      (ports ?? []).map(({ port, name }) => (port === undefined ? (name ?? '*') : String(port))),
      UNSET,
    ),
    shortened(
      (endpoints ?? []).flatMap(({ addresses = [] }) => addresses),
      UNSET,
    ),
    ageOf(metadata.creationTimestamp, now),
  ],
};
