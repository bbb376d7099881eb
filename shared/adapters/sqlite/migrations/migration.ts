/** SQL for each of the two files; a step that has shipped is never changed. */
export interface Migration {
  readonly objects: string;
  readonly heartbeats: string;
}
