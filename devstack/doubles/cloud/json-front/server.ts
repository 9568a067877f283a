/** The simulated cloud on the wire: JSON over HTTP. */

import type { LoopbackServer } from '../../loopback-server.ts';
import { startCloudServer } from '../wire/server.ts';
import { answerCall } from './api.ts';
import { SimulatedCloud, type SimulatedCloudOptions } from './simulated-cloud.ts';

export interface SimulatedCloudServerOptions extends SimulatedCloudOptions {
  /** Port on 127.0.0.1; 0: a free one. @default 0 */
  readonly port?: number;
}

/** Its close ends open connections and closes the journal. */
export async function startSimulatedCloud(options: SimulatedCloudServerOptions): Promise<LoopbackServer> {
  const cloud = new SimulatedCloud(options);
  return startCloudServer({
    answer: (call) => answerCall(cloud, call),
    port: options.port,
    onClosed: () => cloud.engine.close(),
  });
}
