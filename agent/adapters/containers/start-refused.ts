/** A start that is refused, with the reason that the API shows. */
export class StartRefusedError extends Error {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}
