/** The EC2 front on the wire. */

import type { LoopbackServer } from '../../loopback-server.ts';
import { startCloudServer } from '../wire/server.ts';
import { answerCall } from './api.ts';
import { Ec2Front, type Ec2FrontOptions } from './ec2-front.ts';

export interface Ec2FrontServerOptions extends Ec2FrontOptions {
  /** Port on 127.0.0.1; 0: a free one. @default 0 */
  readonly port?: number;
}

/** Its endpoint is what the AWS SDKs take; its close ends open connections. */
export async function startEc2Front(options: Ec2FrontServerOptions): Promise<LoopbackServer> {
  const front = new Ec2Front(options);
  return startCloudServer({
    answer: (call) => answerCall(front, call),
    port: options.port,
    onClosed: () => front.close(),
  });
}
