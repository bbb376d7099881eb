/** The protocols of exec, attach and port-forward. */
const PROTOCOLS = /^(websocket|spdy\/3\.1)$/i;

/** Whether a header `Upgrade` asks for a protocol of streams. Others, such as `h2c`, are none of ours, and the request goes on without. */
export const asksForStream = (upgrade: string | undefined): boolean => PROTOCOLS.test(upgrade ?? '');
