/** `containerLogMaxSize` in bytes, `containerLogMaxFiles`. */
export interface LogBounds {
  readonly maxSize: number;
  readonly maxFiles: number;
}
