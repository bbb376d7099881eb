/** Where traces go. */
export interface TraceConfig {
  /** Base address of a collector that speaks OTLP over HTTP. */
  readonly url: string;
  /** Share of the new traces that are recorded, 0 to 1. */
  readonly share: number;
}
