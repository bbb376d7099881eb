/** Posts spans to a collector over HTTP. */
import type { Sent } from './exporter.ts';

/** A collector that takes longer than this (ms) is asked again later. */
const TIMEOUT_MS = 5_000;
/** Source: OTLP specification, "Retryable Response Codes". */
const RETRYABLE = new Set([429, 502, 503, 504]);

/** The address for traces of a base address. Source: OpenTelemetry specification, `OTEL_EXPORTER_OTLP_ENDPOINT`. */
export const tracesUrl = (base: string): string =>
  /\/v1\/traces\/?$/.test(base) ? base : `${base.replace(/\/+$/, '')}/v1/traces`;

export const createPost =
  (base: string) =>
  async (body: string): Promise<Sent> => {
    try {
      const { status, body: answer } = await fetch(tracesUrl(base), {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await answer?.cancel();
      if (status < 300) return 'sent';
      return RETRYABLE.has(status) ? 'unanswered' : 'refused';
    } catch {
      return 'unanswered';
    }
  };
