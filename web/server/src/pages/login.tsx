// The page that asks for a token, on a server that requires a login.

import { useState } from "preact/hooks";
import { api } from "../api";
import { session } from "../live";
import { Problem, useDeed } from "../parts/words";

export function Login(): preact.JSX.Element {
  const [token, set] = useState("");
  const deed = useDeed();
  const enter = (event: Event): void => {
    event.preventDefault();
    deed.run(async () => (session.value = await api.login(token.trim())));
  };
  return (
    <form class="login" onSubmit={enter}>
      <h1>Wiredyno</h1>
      <p class="lead">This server can be reached from other machines, so it asks who you are. Its operator has the first token, which was shown when the server first started or is in the file <code>first-token</code> of its folder. Behind a proxy, log in there.</p>
      <label>Token <input type="password" autocomplete="current-password" required value={token} onInput={(event) => set(event.currentTarget.value)} /></label>
      <button class="main" disabled={deed.busy}>Log in</button>
      {deed.error ? <Problem error={deed.error} /> : null}
    </form>
  );
}
