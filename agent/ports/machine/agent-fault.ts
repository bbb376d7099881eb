/** Why an agent cannot go on; the message says what to do. */
export class AgentFault extends Error {
  override readonly name = 'AgentFault';
  /** Whether the control plane does not know this machine any more, so that it must join anew. */
  readonly isVoid: boolean;

  constructor(message: string, isVoid = false) {
    super(message);
    this.isVoid = isVoid;
  }
}
