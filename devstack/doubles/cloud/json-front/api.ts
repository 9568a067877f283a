/** The simulated cloud's API, whatever carries the calls. docs/providers/simulated.md describes it. */

import { answerOf, jsonAnswer, readJsonCall, type ApiAnswer, type ApiCall } from '../wire/call.ts';
import { serveSwitch } from '../wire/switches.ts';
import { parseBehaviour } from './behaviour.ts';
import { parseDescribe, parseLaunch, parseTags } from './requests.ts';
import type { SimulatedCloud } from './simulated-cloud.ts';

/** @throws NoAnswer and nothing else */
export async function answerCall(cloud: SimulatedCloud, call: ApiCall): Promise<ApiAnswer> {
  try {
    return await answerOf(async () => jsonAnswer(await route(cloud, call)));
  } finally {
    cloud.engine.flush();
  }
}

async function route(cloud: SimulatedCloud, call: ApiCall): Promise<unknown> {
  const { authorization } = call;
  const read = await readJsonCall(call);
  const { what, name, body } = read;
  switch (what) {
    case 'POST /instances':
      return { instance: await cloud.launch(parseLaunch(body), authorization) };
    case 'POST /instances/dry-run':
      await cloud.dryRun(parseLaunch(body), authorization);
      return { wouldLaunch: true };
    case 'POST /instances/describe':
      return { instances: await cloud.describe(parseDescribe(body), authorization) };
    case 'GET /catalog':
      return cloud.catalog(authorization);
    case `POST /instances/${name}/terminate`:
      return { instance: await cloud.terminate(name, authorization) };
    case `POST /instances/${name}/reboot`:
      return { instance: await cloud.reboot(name, authorization) };
    case `POST /instances/${name}/tags`:
      return { instance: await cloud.tag(name, parseTags(body), authorization) };
    default:
      return serveSwitch(cloud.engine, parseBehaviour, read);
  }
}
