/** Spans and their contexts. Source: OpenTelemetry specification, trace API; W3C Trace Context. */

/** What identifies a span elsewhere. Only spans that are sampled are told to others. */
export interface SpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** How a span begins. */
export interface SpanStart {
  /** Of low cardinality: no names of objects. */
  readonly name: string;
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  /** The span that caused this one, and does not wait for it. */
  readonly links?: readonly SpanContext[];
}

/** A span that has ended. Instants are ms since 1970, with fractions. */
export interface EndedSpan extends Required<SpanStart> {
  readonly context: SpanContext;
  readonly parentSpanId: string | undefined;
  readonly startedAt: number;
  readonly endedAt: number;
  /** The message of the error that ended it. */
  readonly error?: string;
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const isZero = (digits: string): boolean => /^0+$/.test(digits);

/** The context of a `traceparent` header; `undefined` if it has none that is valid. Later versions begin as version 00 does. */
export const parseTraceparent = (header: string | undefined): SpanContext | undefined => {
  const text = header?.trim() ?? '';
  const known = /^(?!00|ff)[0-9a-f]{2}-/.test(text) ? `00-${text.slice(3, 55)}` : text;
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(known) ?? [];
  if (traceId === '' || isZero(traceId) || isZero(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
};

/** The header of a context. */
export const traceparentOf = ({ traceId, spanId, isSampled }: SpanContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
