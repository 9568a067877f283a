/** The embedded EC2 beside anything else: moto and the front, without a stack. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentProgress, type Progress } from '../progress.ts';
import { resolveMoto } from '../servers/moto.ts';
import { MotoClient } from '../doubles/cloud/ec2-front/moto-client.ts';
import { startEc2Front } from '../doubles/cloud/ec2-front/server.ts';
import { freePort } from './ports.ts';
import { awsEnvironment } from './processes/aws-environment.ts';
import { moto as motoProcess } from './processes/moto.ts';
import { SupervisedProcess } from './supervised-process.ts';

export interface StartEc2Options {
  /** Where to tell of the installation of moto, which the first start of a user needs. @default nowhere */
  readonly progress?: Progress;
  /** Has the limits of calls that EC2 documents. @default false */
  readonly limits?: boolean;
}

/** A running EC2 of one's own. */
export interface Ec2 {
  /** Endpoint for AWS_ENDPOINT_URL_EC2, …_ELASTIC_LOAD_BALANCING, …_ELASTIC_LOAD_BALANCING_V2, …_STS and of the switches. */
  readonly url: string;
  /** What {@link awsEnvironment} makes of the url, for a worker that is to use it. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** moto alone, as a process: what the front stands before. */
export interface RunningMoto {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startMoto(progress: Progress): Promise<RunningMoto> {
  const command = await resolveMoto(progress);
  const folder = await mkdtemp(join(tmpdir(), 'millwright-ec2-'));
  const port = await freePort();
  const process = new SupervisedProcess(motoProcess(command, port), join(folder, 'moto.log'), {
    onSpawn: () => {},
    onUnexpectedExit: ({ log }) => console.error(`moto ended by itself; its log: ${log}`),
  });
  // A program that ends without a stop must not leave it behind.
  const killAtExit = (): void => void process.kill('SIGKILL');
  globalThis.process.once('exit', killAtExit);
  const stopMoto = async (): Promise<void> => {
    await process.stop();
    globalThis.process.off('exit', killAtExit);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await process.start();
    return { url: `http://127.0.0.1:${port}`, stop: stopMoto };
  } catch (error) {
    await stopMoto();
    throw error;
  }
}

/**
 * Starts moto as a process and the front in this one. Everything is in memory: it begins empty and nothing is left of it
 * after {@link Ec2.stop}.
 */
export async function startEc2({ progress = silentProgress, limits = false }: StartEc2Options = {}): Promise<Ec2> {
  const moto = await startMoto(progress);
  try {
    const front = await startEc2Front({ moto: new MotoClient(moto.url), limits });
    return {
      url: front.endpoint,
      environment: awsEnvironment(front.endpoint, { limits }),
      stop: async () => {
        await front.close();
        await moto.stop();
      },
    };
  } catch (error) {
    await moto.stop();
    throw error;
  }
}
