// Turns a terrain piece on a page: every triangle is drawn into a depth buffer, in plain JavaScript.
"use strict";
(() => {
  const LIGHT = [-0.42, 0.68, 0.6], AMBIENT = 0.66, BRIGHT = 1.12, MOST = 1100;
  const norm = Math.hypot(...LIGHT);

  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const shorts = (text) => new Uint16Array(bytes(text).buffer);
  const rgb = (colour) => [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16));

  // Numbers from 0 to 65535 back to inches from the middle of the piece.
  function places(text, data) {
    const whole = shorts(text), out = new Float32Array(whole.length);
    for (let i = 0; i < whole.length; i++) {
      const k = i % 3;
      out[i] = data.low[k] + (whole[i] / 65535) * data.size[k] - data.middle[k];
    }
    return out;
  }

  function read(data) {
    const corners = places(data.corners, data), edges = places(data.edges, data);
    const faces = data.wide ? new Uint32Array(bytes(data.faces).buffer) : shorts(data.faces);
    const looks = data.looks.map((look) => ({ ...look, fill: rgb(look.fill), line: rgb(look.line) }));
    const normals = new Float32Array(faces.length);
    for (let f = 0; f < faces.length; f += 3) {
      const [a, b, c] = [faces[f] * 3, faces[f + 1] * 3, faces[f + 2] * 3];
      const u = [0, 1, 2].map((k) => corners[b + k] - corners[a + k]);
      const v = [0, 1, 2].map((k) => corners[c + k] - corners[a + k]);
      const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      const length = Math.hypot(...n) || 1;
      for (let k = 0; k < 3; k++) normals[f + k] = n[k] / length;
    }
    return { corners, edges, faces, looks, normals, kinds: bytes(data.kinds), tags: data.tags, middle: data.middle };
  }

  class Table {
    constructor(canvas, data) {
      this.canvas = canvas;
      this.pen = canvas.getContext("2d", { willReadFrequently: true });
      this.piece = read(data);
      this.first = { turn: data.azimuth, tilt: data.elevation };
      this.radius = Math.hypot(...data.size) / 2;
      this.home();
    }

    home() {
      this.turn = this.first.turn;
      this.tilt = this.first.tilt;
      this.zoom = 1;
      this.ask();
    }

    ask() {
      if (!this.asked) this.asked = requestAnimationFrame(() => { this.asked = 0; this.draw(); });
    }

    // The picture's directions: to the right, up, and away from the reader.
    directions() {
      const a = (this.turn * Math.PI) / 180, e = (this.tilt * Math.PI) / 180;
      const [c, s, ce, se] = [Math.cos(a), Math.sin(a), Math.cos(e), Math.sin(e)];
      return [[c, s, 0], [-se * s, se * c, ce], [-ce * s, ce * c, -se]];
    }

    size() {
      const box = this.canvas.getBoundingClientRect(), dense = Math.min(window.devicePixelRatio || 1, 2);
      const shrink = Math.min(1, MOST / (Math.max(box.width, box.height, 1) * dense));
      const width = Math.max(1, Math.round(box.width * dense * shrink));
      const height = Math.max(1, Math.round(box.height * dense * shrink));
      if (width !== this.width || height !== this.height) {
        Object.assign(this, { width, height });
        this.canvas.width = width;
        this.canvas.height = height;
        this.image = this.pen.createImageData(width, height);
        this.depth = new Float32Array(width * height);
      }
      this.dense = dense * shrink;
      this.scale = (this.zoom * 0.98 * Math.min(width, height)) / 2 / this.radius;
    }

    project(points) {
      const [right, up, away] = this.directions(), out = new Float32Array(points.length);
      const x0 = this.width / 2, y0 = this.height / 2, k = this.scale;
      for (let i = 0; i < points.length; i += 3) {
        const x = points[i], y = points[i + 1], z = points[i + 2];
        out[i] = x0 + k * (right[0] * x + right[1] * y + right[2] * z);
        out[i + 1] = y0 - k * (up[0] * x + up[1] * y + up[2] * z);
        out[i + 2] = away[0] * x + away[1] * y + away[2] * z;
      }
      return out;
    }

    draw() {
      this.size();
      this.image.data.fill(255);
      this.depth.fill(Infinity);
      const flat = this.project(this.piece.corners), lines = this.project(this.piece.edges);
      this.triangles(flat, 0);
      for (let i = 0; i < lines.length; i += 6) this.line(lines, i);
      this.triangles(flat, 1);
      this.pen.putImageData(this.image, 0, 0);
      this.labels();
    }

    // What fills gaps (layer 1) is drawn after all else, for it shows through.
    triangles(flat, layer) {
      const { faces, kinds, looks, normals } = this.piece, [right, up, away] = this.directions();
      const light = [0, 1, 2].map((k) => (LIGHT[0] * right[k] + LIGHT[1] * up[k] - LIGHT[2] * away[k]) / norm);
      for (let f = 0, t = 0; f < faces.length; f += 3, t++) {
        const look = looks[kinds[t]];
        if (look.panel !== layer) continue;
        const n = [normals[f], normals[f + 1], normals[f + 2]];
        const facing = n[0] * away[0] + n[1] * away[1] + n[2] * away[2] > 0 ? -1 : 1;
        const lit = Math.max(0, facing * (n[0] * light[0] + n[1] * light[1] + n[2] * light[2]));
        this.triangle(flat, faces, f, look, layer ? 1 : Math.min(1, AMBIENT + (BRIGHT - AMBIENT) * lit));
      }
    }

    triangle(flat, faces, f, look, tone) {
      const [a, b, c] = [faces[f] * 3, faces[f + 1] * 3, faces[f + 2] * 3];
      const ax = flat[a], ay = flat[a + 1], bx = flat[b], by = flat[b + 1], cx = flat[c], cy = flat[c + 1];
      const area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
      if (Math.abs(area) < 1e-6) return;
      const dx = ((flat[b + 2] - flat[a + 2]) * (cy - ay) - (flat[c + 2] - flat[a + 2]) * (by - ay)) / area;
      const dy = ((flat[c + 2] - flat[a + 2]) * (bx - ax) - (flat[b + 2] - flat[a + 2]) * (cx - ax)) / area;
      const top = Math.max(0, Math.ceil(Math.min(ay, by, cy) - 0.5));
      const foot = Math.min(this.height - 1, Math.floor(Math.max(ay, by, cy) - 0.5));
      for (let y = top; y <= foot; y++) {
        const [from, to] = span(ax, ay, bx, by, cx, cy, y + 0.5);
        const last = Math.min(this.width - 1, Math.floor(to - 0.5));
        for (let x = Math.max(0, Math.ceil(from - 0.5)); x <= last; x++) {
          this.dot(x, y, flat[a + 2] + dx * (x + 0.5 - ax) + dy * (y + 0.5 - ay), look, tone);
        }
      }
    }

    dot(x, y, depth, look, tone) {
      const at = y * this.width + x;
      if (depth > this.depth[at]) return;
      if (!look.panel) this.depth[at] = depth;
      const step = Math.max(5, Math.round(7 * this.dense)), stroke = Math.max(1, Math.round(this.dense));
      const across = look.hatch > 0 && (x + y) % step < stroke;
      const back = look.hatch > 1 && (x + step * 999 - y) % step < stroke;
      const ink = across || back, colour = ink ? look.line : look.fill, k = ink ? 1 : look.opacity, data = this.image.data;
      for (let c = 0; c < 3; c++) data[4 * at + c] = k * tone * colour[c] + (1 - k) * data[4 * at + c];
    }

    line(flat, i) {
      const steps = Math.ceil(Math.max(Math.abs(flat[i + 3] - flat[i]), Math.abs(flat[i + 4] - flat[i + 1]), 1));
      const nearer = 0.02 + 1.5 / this.scale;
      for (let s = 0; s <= steps; s++) {
        const k = s / steps, x = Math.floor(flat[i] + k * (flat[i + 3] - flat[i]));
        const y = Math.floor(flat[i + 1] + k * (flat[i + 4] - flat[i + 1]));
        if (x < 0 || y < 0 || x >= this.width || y >= this.height) continue;
        const at = y * this.width + x;
        if (flat[i + 2] + k * (flat[i + 5] - flat[i + 2]) - nearer > this.depth[at]) continue;
        this.image.data.set([55, 51, 44], 4 * at);
      }
    }

    labels() {
      const { tags, middle } = this.piece, size = 11 * this.dense, pen = this.pen, used = [];
      pen.font = `bold ${size}px sans-serif`;
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      for (const tag of tags) {
        const [x, y, depth] = this.project(tag.at.map((value, k) => value - middle[k]));
        const at = Math.floor(y) * this.width + Math.floor(x);
        const width = pen.measureText(tag.text).width + 0.7 * size, height = 1.5 * size;
        const box = [x - width / 2, y - height / 2, x + width / 2, y + height / 2];
        const hidden = depth - tag.near > this.depth[at];
        if (hidden || used.some((o) => box[0] < o[2] && o[0] < box[2] && box[1] < o[3] && o[1] < box[3])) continue;
        used.push(box);
        pen.fillStyle = tag.fill;
        pen.strokeStyle = tag.line;
        pen.lineWidth = 1.2 * this.dense;
        pen.beginPath();
        pen.rect(box[0], box[1], width, height);
        pen.fill();
        pen.stroke();
        pen.fillStyle = tag.ink;
        pen.fillText(tag.text, x, y + 0.5);
      }
    }
  }

  // Where a row crosses a triangle.
  function span(ax, ay, bx, by, cx, cy, y) {
    let from = Infinity, to = -Infinity;
    const side = (x0, y0, x1, y1) => {
      if (y0 === y1 || y < Math.min(y0, y1) || y > Math.max(y0, y1)) return;
      const x = x0 + ((y - y0) / (y1 - y0)) * (x1 - x0);
      from = Math.min(from, x);
      to = Math.max(to, x);
    };
    side(ax, ay, bx, by);
    side(bx, by, cx, cy);
    side(cx, cy, ax, ay);
    return [from, to];
  }

  function hold(table) {
    const canvas = table.canvas, held = new Map();
    const move = (right, up) => {
      table.turn -= right;
      table.tilt = Math.max(-90, Math.min(90, table.tilt + up));
      table.ask();
    };
    const zoom = (by) => { table.zoom = Math.max(0.5, Math.min(8, table.zoom * by)); table.ask(); };
    canvas.addEventListener("pointerdown", (event) => {
      held.set(event.pointerId, event);
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      const before = held.get(event.pointerId);
      if (!before) return;
      const other = [...held.values()].find((each) => each.pointerId !== event.pointerId);
      const apart = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;
      if (other) zoom(apart(event) / apart(before));
      else move((event.clientX - before.clientX) * 0.5, (event.clientY - before.clientY) * 0.5);
      held.set(event.pointerId, event);
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => held.delete(event.pointerId));
    canvas.addEventListener("keydown", (event) => {
      const keys = {
        ArrowLeft: () => move(-6, 0), ArrowRight: () => move(6, 0), ArrowUp: () => move(0, -6), ArrowDown: () => move(0, 6),
        "+": () => zoom(1.15), "-": () => zoom(1 / 1.15), Home: () => table.home(),
      };
      if (keys[event.key]) { keys[event.key](); event.preventDefault(); }
    });
    return { zoom };
  }

  function begin(figure) {
    if (figure.table) return figure.table;
    const data = JSON.parse(document.getElementById(figure.dataset.piece).textContent);
    figure.classList.add("turning");
    figure.table = new Table(figure.querySelector("canvas"), data);
    const hands = hold(figure.table);
    for (const button of figure.querySelectorAll("button[data-turn]")) {
      button.addEventListener("click", () => {
        const [turn, tilt] = button.dataset.turn.split(" ").map(Number);
        Object.assign(figure.table, { turn, tilt });
        figure.table.ask();
      });
    }
    for (const button of figure.querySelectorAll("button[data-zoom]")) {
      button.addEventListener("click", () => hands.zoom(Number(button.dataset.zoom)));
    }
    figure.querySelector("canvas").focus({ preventScroll: true });
    return figure.table;
  }

  for (const figure of document.querySelectorAll("figure.turntable")) {
    const start = figure.querySelector("button.start");
    start.hidden = false;
    start.addEventListener("click", () => begin(figure));
    figure.querySelector("svg.view").addEventListener("dblclick", () => begin(figure));
  }
  window.addEventListener("resize", () => {
    for (const figure of document.querySelectorAll("figure.turntable.turning")) figure.table.ask();
  });
  // A link to a piece of many opens what it leads to.
  const open = () => {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (target && target.tagName === "DETAILS") target.open = true;
  };
  window.addEventListener("hashchange", open);
  open();
})();
