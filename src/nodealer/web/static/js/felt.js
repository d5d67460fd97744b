// A felt with seats around it, for every game that is played at a table. You sit at the bottom.
import { T, h, initial, setText, tintClass, toggleClass } from "./kit.js";

/** Return the positions of the seats in percent of the felt: the first at the bottom, then clockwise. */
function seatPositions(count, tall) {
  const [rx, ry] = tall ? [39.5, 42] : [43.5, 40];
  return Array.from({ length: count }, (_, at) => {
    const angle = Math.PI / 2 + (at * 2 * Math.PI) / count;
    const bend = (value) => Math.sign(value) * Math.abs(value) ** (tall ? 0.75 : 0.82);
    return { x: 50 + rx * bend(Math.cos(angle)), y: 50 + ry * bend(Math.sin(angle)) };
  });
}

/** A felt smaller than this has no room for bets between the seats and the middle. */
const SMALL = { width: 480, height: 440 };

/**
 * The felt of one table. `pods` maps each seat to its elements; a game puts its own into `center`.
 * Call `update` with every view, and `destroy` at the end.
 */
export class Felt {
  constructor(root, seats, you) {
    this.you = you;
    this.center = h("div", { class: "center" });
    this.rail = h("div", { class: "rail", "aria-hidden": "true" });
    this.pods = new Map();
    this.element = h("div", { class: "felt", data: { seats: seats.length } }, this.rail, this.center);
    const first = Math.max(0, seats.findIndex((one) => one.seat === you));
    this.order = [...seats.slice(first), ...seats.slice(0, first)];
    this.list = h("ul", { class: "seats", "aria-label": T.players });
    for (const one of this.order) this.list.append(this.#createPod(one).element);
    this.element.append(this.list);
    root.replaceChildren(this.element);
    this.resizes = new ResizeObserver(() => this.layOut());
    this.resizes.observe(this.element);
    this.clock = setInterval(() => this.tick(), 500);
    this.layOut();
  }

  #createPod({ seat, name }) {
    const you = seat === this.you;
    const parts = {
      cards: h("div", { class: "hole" }),
      face: h("span", { class: `avatar ${tintClass(seat)}`, "aria-hidden": "true" }, initial(name)),
      name: h("span", { class: "name" }, name),
      stack: h("span", { class: "stack" }),
      status: h("span", { class: "status" }),
      badge: h("span", { class: "badges" }),
      bet: h("div", { class: "bet" }),
    };
    const plate = h("div", { class: "plate" }, parts.face, h("span", { class: "who" }, parts.name, parts.stack), parts.badge);
    const element = h(
      "li",
      { class: `pod${you ? " you" : ""}`, data: { seat } },
      parts.cards,
      plate,
      parts.status,
    );
    const pod = { seat, element, plate, ...parts };
    this.element.append(parts.bet);
    this.pods.set(seat, pod);
    return pod;
  }

  pod(seat) {
    return this.pods.get(seat);
  }

  /** Place seats and bets for the felt's current size. */
  layOut() {
    const { clientWidth: width, clientHeight: height } = this.element;
    const tall = height > width * 0.92;
    const small = width < SMALL.width || height < SMALL.height;
    toggleClass(this.element, "tall", tall);
    const spots = seatPositions(this.order.length, tall);
    this.order.forEach(({ seat }, at) => {
      const pod = this.pods.get(seat);
      const { x, y } = spots[at];
      pod.element.style.left = `${x}%`;
      pod.element.style.top = `${y}%`;
      pod.element.dataset.side = y < 32 ? "top" : y > 76 ? "bottom" : x < 50 ? "left" : "right";
      pod.element.dataset.edge = x < 25 ? "left" : x > 75 ? "right" : "";
      this.#placeBet(pod, x, y, at === 0 && this.you !== null, small);
    });
  }

  /** Place a bet between its seat and the middle, or on the seat's plate if there is no room. */
  #placeBet(pod, x, y, mine, small) {
    const parent = small ? pod.plate : this.element;
    if (pod.bet.parentElement !== parent) parent.append(pod.bet);
    const inward = mine ? 0.4 : 0.56;
    const beside = Math.abs(y - 50) < 26 ? 0.66 : inward;
    pod.bet.style.left = small ? "" : `${50 + (x - 50) * beside}%`;
    pod.bet.style.top = small ? "" : `${50 + (y - 50) * inward}%`;
  }

  /** Show what is the same in every game: who is here, who holds up the table, whose turn it is. */
  update(view, { stacks = true } = {}) {
    for (const one of view.seats) {
      const pod = this.pods.get(one.seat);
      if (!pod) continue;
      const turn = view.turn.includes(one.seat);
      toggleClass(pod.element, "turn", turn);
      toggleClass(pod.element, "gone", one.state === "gone" || one.state === "out");
      toggleClass(pod.element, "caught", one.state === "out");
      toggleClass(pod.element, "away", one.waited > 0);
      if (stacks) setText(pod.stack, one.chips === null ? "" : one.chips.toLocaleString("en"));
      // `tick` counts on from these times.
      pod.now = { one, turn, since: one.waited > 0 ? performance.now() - 1000 * one.waited : null, until: one.left === null ? null : performance.now() + one.left };
      setText(pod.status, this.#status(pod.now));
    }
  }

  #status({ one, turn, since, until }) {
    if (one.state === "out") return T.seat.out;
    if (one.state === "gone") return T.seat.gone;
    const text = turn ? (one.seat === this.you ? T.seat.yourTurn : T.seat.turn) : "";
    if (until !== null) return T.seat.left(Math.max(0, Math.ceil((until - performance.now()) / 1000)), text);
    if (since !== null) return T.seat.waited(Math.round((performance.now() - since) / 1000));
    return text;
  }

  /** Count down the time that is left, as the seat has estimated it, and count up the time a player has not answered. */
  tick() {
    for (const { now, status } of this.pods.values()) if (now && (now.until !== null || now.since !== null)) setText(status, this.#status(now));
  }

  destroy() {
    clearInterval(this.clock);
    this.resizes.disconnect();
  }
}
